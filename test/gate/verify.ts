import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './sources.ts';

const BIN = join(ROOT, 'node_modules', '.bin');
const NODE = process.execPath;
const TESTS = 'tests and gates';

/** What must hold before anything lands, in the order in which it is cheapest to learn that it does not. */
const STEPS: readonly (readonly [name: string, command: string, args: readonly string[]])[] = [
  [
    'format and lint',
    NODE,
    [join(ROOT, 'node_modules/@biomejs/biome/bin/biome'), 'ci', ...(process.stdout.isTTY ? [] : ['--colors=off']), '.'],
  ],
  ['types', NODE, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', '.']],
  ['types of the console', NODE, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'operator/console']],
  ['dead code', NODE, [join(ROOT, 'node_modules/knip/bin/knip.js'), '--no-progress']],
  ['generated files are current', NODE, [join(ROOT, 'test/gate/regenerate.ts'), '--check']],
  [TESTS, NODE, [join(ROOT, 'test/run.ts')]],
];

/** Runs every step, or those whose name contains the word given; `--without-tests` leaves the tests to a run of their own. Exit code 0 or 1. */
function main(args: readonly string[]): number {
  const withoutTests = args.includes('--without-tests');
  const words = args.filter((arg) => !arg.startsWith('--'));
  for (const [name, command, args] of STEPS.filter(
    ([name]) => words.every((word) => name.includes(word)) && !(withoutTests && name === TESTS),
  )) {
    process.stderr.write(`verify: ${name}\n`);
    const started = performance.now();
    const result = spawnSync(command, args, {
      cwd: ROOT,
      stdio: 'inherit',
      env: { ...process.env, PATH: `${BIN}:${process.env.PATH ?? ''}` },
    });
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    if (result.status !== 0) {
      process.stderr.write(
        `verify: ${name} failed after ${seconds} s; fix what it printed and run \`npm run verify\` again\n`,
      );
      return 1;
    }
    process.stderr.write(`verify: ${name} passed in ${seconds} s\n`);
  }
  return 0;
}

process.exitCode = main(process.argv.slice(2));
