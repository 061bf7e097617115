import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { SERVING_FLAGS } from './bench/real/serving-flags.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** Everything that needs nothing but npm. What needs the real control plane or a browser lives below test/real and test/browser. */
const PATTERNS = [
  '{core,policy,verifier,operator}/src/**/*.test.ts',
  'operator/console/src/**/*.test.ts',
  'test/{gate,mutants,real,src,scenarios,support}/**/*.test.ts',
];
const SLOWEST_FILE_MS = 300_000;
/** Twice the two cores that the suite is meant for: files with a database or a cluster wait for half of their time. */
const ABREAST = 4;
/** Longest first: one that starts late runs alone at the end. The list of slowest files that each run prints says what belongs here. */
const LONGEST_FIRST = [
  'test/scenarios/model/truths.it.test.ts',
  'operator/src/adapters/postgres/migrate.it.test.ts',
  'test/src/contract-golden.it.test.ts',
  'test/scenarios/model/lies.it.test.ts',
  'operator/src/flow/5-plan/stories.it.test.ts',
  'operator/src/adapters/postgres/engine-restart.it.test.ts',
  'test/scenarios/surroundings/unwell-api-server.it.test.ts',
  'test/scenarios/model/inquiry.it.test.ts',
  'test/scenarios/model/channel.it.test.ts',
  'operator/src/act/races.it.test.ts',
  'operator/src/adapters/postgres/data-folder.it.test.ts',
];
/** How many of the slowest files are listed, so that a suite that grows slow says where. */
const SLOWEST_SHOWN = 12;

const MAX_BUSY_LOOPS = 64;
const OPTIONS = {
  counts: { type: 'string' },
  'second-try': { type: 'boolean', default: false },
  busy: { type: 'string', default: '0' },
} as const;

interface FileOutcome {
  passed: number;
  readonly failures: string[];
  seconds: number;
}

/**
 * Runs the tests named by the patterns given on the command line, or all of the above, and ends with one line of counts. `--counts FILE`
 * also writes them as JSON. `--second-try` runs each file that failed once more, alone, and names those that passed only then. A file that fails
 * only on a busy machine so differs from one that is broken. `--busy N` keeps N threads busy beside the tests, so that a test that depends on
 * wall-clock time fails. Exit code 1 when one failed or none ran.
 */
async function main(args: readonly string[]): Promise<number> {
  const { values, positionals: patterns } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  const countsFile = values.counts;
  const loops = startBusyLoops(Number(values.busy));
  const files = globSync(patterns.length > 0 ? [...patterns] : PATTERNS, { cwd: ROOT })
    .filter((file) => !file.includes('node_modules'))
    .sort(waitingFirst)
    .map((file) => join(ROOT, file));
  const outcomes = await runFiles(files, ABREAST);
  const broken = failed(outcomes);
  if (broken.length > 0 && values['second-try']) {
    process.stdout.write(`\nonce more, alone: ${broken.map(short).join(', ')}\n`);
    for (const [file, outcome] of await runFiles(broken, 1)) outcomes.set(file, outcome);
    for (const file of broken.filter((name) => outcomes.get(name)?.failures.length === 0))
      process.stdout.write(`passed only at the second try: ${short(file)}\n`);
  }
  await Promise.all(loops.map((loop) => loop.terminate()));
  return report(outcomes, countsFile);
}

function startBusyLoops(count: number): readonly Worker[] {
  if (!Number.isInteger(count) || count < 0 || count > MAX_BUSY_LOOPS)
    throw new Error(`expected \`--busy\` with a whole number from 0 to ${MAX_BUSY_LOOPS}, found another value`);
  return Array.from({ length: count }, () => new Worker('for (;;);', { eval: true }));
}

/** The longest, scenarios, other files with a database or a cluster, then the pure ones: the short ones fill what the long ones leave free. */
function waitingFirst(a: string, b: string): number {
  const weight = (file: string) => (file.startsWith('test/') ? 0 : 1) + (file.endsWith('.it.test.ts') ? 0 : 2);
  return rank(a) - rank(b) || weight(a) - weight(b) || (a < b ? -1 : 1);
}

function rank(file: string): number {
  const place = LONGEST_FIRST.indexOf(file);
  return place < 0 ? LONGEST_FIRST.length : place;
}

function runFiles(files: readonly string[], concurrency: number): Promise<Map<string, FileOutcome>> {
  const outcomes = new Map<string, FileOutcome>(files.map((file) => [file, { passed: 0, failures: [], seconds: 0 }]));
  const of = (file: string | undefined) => outcomes.get(file ?? '') ?? outcomes.values().next().value;
  const stream = run({
    files: [...files],
    concurrency,
    timeout: SLOWEST_FILE_MS,
    execArgv: [...SERVING_FLAGS, '--import', import.meta.resolve('./src/end-when-idle.ts')],
  });
  stream.on('test:pass', (event) => {
    const outcome = of(event.file);
    if (event.details.type !== 'suite' && outcome !== undefined) outcome.passed += 1;
  });
  stream.on('test:fail', (event) => {
    if (event.details.type !== 'suite') of(event.file)?.failures.push(event.name);
  });
  stream.on('test:summary', (event) => {
    const outcome = event.file === undefined ? undefined : outcomes.get(event.file);
    if (outcome !== undefined) outcome.seconds = event.duration_ms / 1000;
  });
  stream.compose(new spec()).pipe(process.stdout);
  return new Promise((resolve) => {
    stream.on('end', () =>
      setImmediate(() => {
        for (const outcome of outcomes.values())
          if (outcome.passed === 0 && outcome.failures.length === 0) outcome.failures.push('ran no test');
        resolve(outcomes);
      }),
    );
  });
}

function report(outcomes: ReadonlyMap<string, FileOutcome>, countsFile: string | undefined): number {
  const all = [...outcomes];
  const counts = {
    passed: all.reduce((sum, [, outcome]) => sum + outcome.passed, 0),
    failed: all.reduce((sum, [, outcome]) => sum + outcome.failures.length, 0),
  };
  if (countsFile !== undefined) {
    mkdirSync(dirname(countsFile), { recursive: true });
    writeFileSync(countsFile, JSON.stringify(counts));
  }
  const slowest = all.toSorted(([, a], [, b]) => b.seconds - a.seconds).slice(0, SLOWEST_SHOWN);
  for (const [file, { seconds }] of slowest)
    process.stdout.write(`${seconds.toFixed(1).padStart(7)} s  ${short(file)}\n`);
  for (const file of failed(outcomes))
    for (const name of outcomes.get(file)?.failures ?? []) process.stdout.write(`failed: ${short(file)}: ${name}\n`);
  process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed\n`);
  return counts.failed > 0 || counts.passed === 0 ? 1 : 0;
}

function failed(outcomes: ReadonlyMap<string, FileOutcome>): readonly string[] {
  return [...outcomes].filter(([, outcome]) => outcome.failures.length > 0).map(([file]) => file);
}

function short(file: string): string {
  return relative(ROOT, file);
}

if (pathToFileURL(process.argv[1] ?? '').href === import.meta.url) process.exitCode = await main(process.argv.slice(2));
