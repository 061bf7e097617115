import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const DEMO = fileURLToPath(new URL('../operator/src/demo/main.ts', import.meta.url));

interface StoryLine {
  readonly type: 'story';
  readonly id: string;
  readonly verdict: string;
  readonly differences: readonly string[];
  readonly ms: number;
}

/**
 * Plays stories in the demo exactly as a user would with nobody at the console, and counts those that went as told.
 * `--story ID` plays one, `--speed N` and `--counts FILE` as their names say. Exit code 1 when one went otherwise or none was played.
 */
async function main(args: readonly string[]): Promise<number> {
  const value = (name: string) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
  const data = mkdtempSync(join(tmpdir(), 'hephaisto-stories-'));
  const child = spawn(
    process.execPath,
    [
      DEMO,
      '--json',
      '--exit',
      '--port',
      '0',
      '--data',
      data,
      '--approve-as',
      'ana',
      '--story',
      value('--story') ?? 'all',
      '--speed',
      value('--speed') ?? '20',
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const counts = { passed: 0, failed: 0 };
  for await (const line of createInterface({ input: child.stdout })) {
    const message = JSON.parse(line) as StoryLine | { readonly type: 'ready' | 'edge' };
    if (message.type !== 'story') continue;
    const told = message.verdict === 'as-told';
    if (told) counts.passed += 1;
    else counts.failed += 1;
    process.stdout.write(`${told ? 'as told' : 'NOT AS TOLD'}  ${message.id}  ${(message.ms / 1000).toFixed(1)} s\n`);
    for (const difference of message.differences) process.stdout.write(`    ${difference}\n`);
  }
  rmSync(data, { recursive: true, force: true });
  const file = value('--counts');
  if (file !== undefined) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(counts));
  }
  process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed\n`);
  return counts.failed > 0 || counts.passed === 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
