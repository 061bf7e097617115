import { globSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ROOT } from '../gate/sources.ts';
import { PENDING } from './pending.ts';
import { compareWithReasons, type Outcome, type Verdict } from './reasons.ts';
import { runStryker } from './run-stryker.ts';
import { MUTATED_WORKSPACES, scopeOf } from './scope.ts';
import { REASONS } from './survivors.ts';

const USAGE = 'expected `mutants [-- --file PATH,…]`';

/**
 * Changes the code of the pure workspaces mutant by mutant and runs their tests against each. Fails for a survivor without a written reason
 * and for a reason without its survivor. Exit codes: 0 every survivor has its reason, 1 one has none, 2 usage.
 */
async function main(args: readonly string[]): Promise<number> {
  const sources = MUTATED_WORKSPACES.flatMap(sourcesOf);
  const { covered, pending, missing } = scopeOf(sources, PENDING);
  if (missing.length > 0)
    return fail(1, `expected each pending path to name a file, found none at ${missing.join(', ')}`);
  const asked = askedFiles(args, covered);
  const unknown = asked?.filter((file) => !sources.includes(file)) ?? [];
  if (asked === undefined || unknown.length > 0)
    return fail(2, `${USAGE}${unknown.map((file) => `, found no source \`${file}\``)}`);
  const started = performance.now();
  const outcomes: Outcome[] = [];
  for (const workspace of MUTATED_WORKSPACES) {
    const files = asked.filter((file) => file.startsWith(`${workspace}/`));
    if (files.length > 0) outcomes.push(...(await runStryker(workspace, files)));
  }
  const verdict = compareWithReasons(outcomes, REASONS, asked);
  const seconds = Math.round((performance.now() - started) / 1000);
  process.stdout.write(textOf(verdict, `${asked.length} files in ${seconds} s`));
  for (const workspace of MUTATED_WORKSPACES) process.stdout.write(coverageText(workspace, covered, pending));
  return verdict.unexplained.length + verdict.stale.length === 0 ? 0 : 1;
}

/** The reference model and the inputs in `spec` belong to the tests, so they are not mutated. */
function sourcesOf(workspace: string): readonly string[] {
  return globSync(`${workspace}/src/**/*.ts`, { cwd: ROOT })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !/\.(test|fixture)\.ts$/.test(file) && !file.includes('/spec/'))
    .sort();
}

function askedFiles(args: readonly string[], covered: readonly string[]): readonly string[] | undefined {
  try {
    const { values } = parseArgs({ args: [...args], options: { file: { type: 'string' } } });
    return values.file?.split(',') ?? covered;
  } catch {
    return undefined;
  }
}

function textOf({ killed, explained, ignored, unexplained, stale }: Verdict, what: string): string {
  const lines = [
    ...unexplained.map(
      ({ file, lineNumber, line, replacement, status }) =>
        `${status}: ${file}:${lineNumber}\n  line         ${line}\n  replacement  ${replacement}\n`,
    ),
    ...stale.map(({ file, line, replacement }) => `reason without a survivor: ${file}: ${line} → ${replacement}\n`),
    `mutants: ${killed} killed, ${explained} survived with a reason, ${unexplained.length} without, ${stale.length} reasons without a survivor, ${ignored} sentences left alone; ${what}\n`,
  ];
  return lines.join('');
}

function coverageText(workspace: string, covered: readonly string[], pending: readonly string[]): string {
  const of = (files: readonly string[]) => files.filter((file) => file.startsWith(`${workspace}/`)).length;
  const waiting = of(pending);
  return `mutants: the rule covers ${of(covered)} of ${of(covered) + waiting} files of ${workspace}${waiting === 0 ? '' : '; test/mutants/pending.ts lists the others'}\n`;
}

function fail(code: number, message: string): number {
  process.stderr.write(`mutants: ${message}\n`);
  return code;
}

process.exitCode = await main(process.argv.slice(2));
