import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** Everything that needs nothing but npm. What needs the real control plane or a browser lives below test/real and test/browser. */
const PATTERNS = [
  '{core,policy,verifier,operator}/src/**/*.test.ts',
  'test/{gate,real,src,scenarios,support}/**/*.test.ts',
];
const SLOWEST_TEST_MS = 120_000;
/** How many of the slowest files are listed, so that a suite that grows slow says where. */
const SLOWEST_SHOWN = 12;

/**
 * Runs the tests named by the patterns given on the command line, or all of the above, and ends with one line of counts.
 * `--counts FILE` also writes them as JSON. Exit code 1 when one failed or none ran.
 */
function main(args: readonly string[]): void {
  const at = args.indexOf('--counts');
  const countsFile = at >= 0 ? args[at + 1] : undefined;
  const patterns = args.filter((_, i) => at < 0 || (i !== at && i !== at + 1));
  const files = globSync(patterns.length > 0 ? [...patterns] : PATTERNS, { cwd: ROOT })
    .filter((file) => !file.includes('node_modules'))
    .sort();
  const counts = { passed: 0, failed: 0 };
  const failures: string[] = [];
  const stream = run({ files: files.map((file) => join(ROOT, file)), concurrency: 2, timeout: SLOWEST_TEST_MS });
  stream.on('test:pass', (event) => {
    if (event.details.type !== 'suite') counts.passed += 1;
  });
  stream.on('test:fail', (event) => {
    if (event.details.type === 'suite') return;
    counts.failed += 1;
    failures.push(`${event.file ?? ''}: ${event.name}`);
  });
  const seconds = new Map<string, number>();
  stream.on('test:summary', (event) => {
    if (event.file !== undefined) seconds.set(event.file, event.duration_ms / 1000);
  });
  stream.compose(new spec()).pipe(process.stdout);
  stream.on('end', () => {
    setImmediate(() => {
      if (countsFile !== undefined) {
        mkdirSync(join(countsFile, '..'), { recursive: true });
        writeFileSync(countsFile, JSON.stringify(counts));
      }
      const slowest = [...seconds].toSorted(([, a], [, b]) => b - a).slice(0, SLOWEST_SHOWN);
      for (const [file, took] of slowest)
        process.stdout.write(`${took.toFixed(1).padStart(7)} s  ${relative(ROOT, file)}\n`);
      if (failures.length > 0) process.stdout.write(`\nfailed:\n${failures.join('\n')}\n`);
      process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed\n`);
      process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;
    });
  });
}

main(process.argv.slice(2));
