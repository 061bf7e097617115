import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { CASES } from './all-cases.ts';

function fileOf(group: string): URL {
  return new URL(`golden/${group}.gen.json`, import.meta.url);
}

/** What the real control plane answered to each case of the group, by the case's id. */
export function readGolden(group: string): Readonly<Record<string, unknown>> {
  return existsSync(fileOf(group)) ? (JSON.parse(readFileSync(fileOf(group), 'utf8')) as Record<string, unknown>) : {};
}

/** Puts new answers, by `group/id`, into the files; others stay, but for those of cases that are no more. */
export function writeGolden(answers: ReadonlyMap<string, unknown>): void {
  for (const [group, cases] of Object.entries(CASES)) {
    const known = readGolden(group);
    const kept = cases
      .map(({ id }) => [id, answers.get(`${group}/${id}`) ?? known[id]] as const)
      .filter(([, value]) => value !== undefined);
    // One case a line: a change shows which case it is in, and the files stay small.
    const lines = kept.map(([id, value]) => `${JSON.stringify(id)}: ${JSON.stringify(value)}`);
    writeFileSync(fileOf(group), `{\n${lines.join(',\n')}\n}\n`);
  }
}
