// Plain JavaScript for the host's Node: it runs before anything is installed. Runs each suite, adds up their counts, and ends with
// one line. A suite that ends without counts fails as one.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'hephaisto-ci-'));

/** Suites in order, with the minutes each may take. */
const SUITES = [
  {
    name: 'test',
    minutes: 25,
    command: ['npm', 'test', '--', '--second-try', '--counts', join(folder, 'test.json')],
    counts: join(folder, 'test.json'),
  },
  { name: 'verify', minutes: 5, command: ['npm', 'run', 'verify', '--', '--without-tests'] },
  {
    name: 'stories',
    minutes: 15,
    command: ['npm', 'run', 'stories', '--', '--second-try', '--counts', join(folder, 'stories.json')],
    counts: join(folder, 'stories.json'),
  },
];

const total = { passed: 0, failed: 0 };

for (const suite of SUITES) {
  const started = Date.now();
  process.stdout.write(`\n== ${suite.name}: ${suite.command.join(' ')}\n`);
  const [program, ...args] = suite.command;
  const result = spawnSync(program, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: suite.minutes * 60_000,
    killSignal: 'SIGKILL',
  });
  const counts = readCounts(suite.counts);
  const ok = result.status === 0;
  total.passed += counts?.passed ?? (ok ? 1 : 0);
  total.failed += counts?.failed ?? 0;
  if (!ok && (counts === undefined || counts.failed === 0)) total.failed += 1;
  const seconds = Math.round((Date.now() - started) / 1000);
  process.stdout.write(
    `== ${suite.name}: ${ok ? 'passed' : `failed (${result.signal ?? `exit ${result.status}`})`} in ${seconds} s of ${suite.minutes * 60}\n`,
  );
}

rmSync(folder, { recursive: true, force: true });
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;

function readCounts(file) {
  if (file === undefined) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
