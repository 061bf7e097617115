// Plain JavaScript for the host's Node: it runs before anything is installed. Runs each suite, adds up their counts, and ends with
// one line. A suite that ends without counts fails as one.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SUITES } from './suites.mjs';

/** A suite that needs more of its budget than this says so, before it fails by it. */
const NEAR_ITS_END = 0.8;
const APT = ['-o', 'DPkg::Lock::Timeout=300', '-qq', 'install', '-y', '--no-install-recommends'];

const folder = mkdtempSync(join(tmpdir(), 'hephaisto-ci-'));
const total = { passed: 0, failed: 0 };
const world = buildWorldBeside();

for (const suite of SUITES) {
  if (suite.needs === 'world') await world;
  let outcome = await play(suite);
  // Told apart, never hidden: what fails on a busy machine and passes alone is named for whoever reads this.
  if (!outcome.ok && suite.again) {
    outcome = await play(suite);
    if (outcome.ok) process.stdout.write(`passed only at the second try: suite ${suite.name}\n`);
  }
  total.passed += outcome.passed;
  total.failed += outcome.failed;
}

rmSync(folder, { recursive: true, force: true });
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
// A build that hangs must not outlive the last suite.
process.exit();

async function play({ name, minutes, command, counted }) {
  const countsFile = join(folder, `${name}.json`);
  rmSync(countsFile, { force: true });
  const [program, ...args] = counted ? [...command, '--counts', countsFile] : command;
  process.stdout.write(`\n== ${name}: ${[program, ...args].join(' ')}\n`);
  const started = Date.now();
  const status = await run(program, args, minutes * 60_000);
  const counts = readCounts(countsFile);
  const ok = status === 0;
  const seconds = Math.round((Date.now() - started) / 1000);
  const near = seconds > minutes * 60 * NEAR_ITS_END ? `, more than ${NEAR_ITS_END * 100} % of its budget` : '';
  process.stdout.write(
    `== ${name}: ${ok ? 'passed' : `failed (${status})`} in ${seconds} s of ${minutes * 60}${near}\n`,
  );
  const failed = counts?.failed ?? 0;
  return { ok, passed: counts?.passed ?? (ok ? 1 : 0), failed: ok || failed > 0 ? failed : 1 };
}

/** Exit code, or a word for what ended it. The whole process group goes, so that nothing of a suite runs on beside the next one. */
function run(program, args, milliseconds) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
    const end = () => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // Nothing of the group is left.
      }
    };
    const timer = setTimeout(() => {
      end();
      resolve('out of time');
    }, milliseconds);
    child.on('error', (error) => resolve(error.message));
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      end();
      resolve(code ?? signal);
    });
  });
}

/**
 * Fetches and builds what the later suites start (minutes of compiling on a new machine) at the lowest priority while the first ones run.
 * Its failure is told by the suites that need it.
 */
async function buildWorldBeside() {
  while (!existsSync('node_modules/.package-lock.json')) await new Promise((resolve) => setTimeout(resolve, 500));
  await run('npm', ['run', '-s', 'world', '--', 'build'], 20 * 60_000);
  if (!existsSync('/usr/bin/chromium')) await run('apt-get', [...APT, 'chromium'], 5 * 60_000);
}

function readCounts(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
