import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Asked } from './contract/api.ts';
import { uncovered } from './contract/coverage.ts';

const DEMO = fileURLToPath(new URL('../operator/src/demo/main.ts', import.meta.url));

interface AskedLine {
  readonly type: 'asked';
  readonly kinds: readonly Asked[];
}

interface StoryLine {
  readonly type: 'story';
  readonly id: string;
  readonly verdict: string;
  readonly differences: readonly string[];
  readonly ms: number;
}

/**
 * Plays stories in the demo exactly as a user would with nobody at the console, and counts those that went as told.
 * `--story ID` plays one, `--speed N` and `--counts FILE` as their names say; `--second-try` plays those that went otherwise once more,
 * each alone, and says so. Exit code 1 when one went otherwise or none was played.
 */
async function main(args: readonly string[]): Promise<number> {
  const value = (name: string) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
  const speed = value('--speed') ?? '20';
  const told = await play(value('--story') ?? 'all', speed);
  if (args.includes('--second-try')) {
    for (const [id] of [...told].filter(([id, asTold]) => !asTold && id !== ASKED)) {
      process.stdout.write(`once more, alone: ${id}\n`);
      for (const [again, asTold] of await play(id, speed)) told.set(again, asTold);
    }
  }
  const verdicts = [...told.values()];
  const counts = {
    passed: verdicts.filter((asTold) => asTold).length,
    failed: verdicts.filter((asTold) => !asTold).length,
  };
  const file = value('--counts');
  if (file !== undefined) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(counts));
  }
  process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed\n`);
  return counts.failed > 0 || counts.passed === 0 ? 1 : 0;
}

/** Plays one story or all of them; a story that was never told is missing in the answer. */
async function play(story: string, speed: string): Promise<Map<string, boolean>> {
  const data = mkdtempSync(join(tmpdir(), 'hephaisto-stories-'));
  const options = [
    '--json',
    '--exit',
    '--port',
    '0',
    '--data',
    data,
    '--approve-as',
    'ana',
    '--story',
    story,
    '--speed',
    speed,
  ];
  const child = spawn(process.execPath, [DEMO, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  const told = new Map<string, boolean>();
  for await (const line of createInterface({ input: child.stdout })) {
    const message = JSON.parse(line) as StoryLine | AskedLine | { readonly type: 'ready' | 'edge' };
    if (message.type === 'asked') judgeAsked(message.kinds, told);
    if (message.type !== 'story') continue;
    const asTold = message.verdict === 'as-told';
    told.set(message.id, asTold);
    process.stdout.write(`${asTold ? 'as told' : 'NOT AS TOLD'}  ${message.id}  ${(message.ms / 1000).toFixed(1)} s\n`);
    for (const difference of message.differences) process.stdout.write(`    ${difference}\n`);
  }
  rmSync(data, { recursive: true, force: true });
  return told;
}

const ASKED = 'only requests that the contract has compared';

/** A simulation that answers what nobody has compared with a real cluster is a guess. Counts as one story more. */
function judgeAsked(kinds: readonly Asked[], told: Map<string, boolean>): void {
  const missing = uncovered(kinds);
  told.set(ASKED, missing.length === 0);
  process.stdout.write(`${missing.length === 0 ? 'as told' : 'NOT AS TOLD'}  ${ASKED}\n`);
  for (const kind of missing) process.stdout.write(`    expected a case of the contract, found none for ${kind}\n`);
}

process.exitCode = await main(process.argv.slice(2));
