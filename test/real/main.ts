import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { findStory, STORIES } from '../../operator/src/demo/stories/story-book.ts';
import type { DatabaseChoice } from './context.ts';
import { openRun, type Run } from './run.ts';
import { STUCK_STATEFUL_SET } from './suites/stuck-stateful-set.ts';
import { SUITES } from './suites.ts';

const USAGE =
  'expected `test:real -- [--suite NAME,…] [--story ID] [--db pg|pglite] [--runs N | --seed N | --rotation N | --all-seeds] [--counts FILE] [--second-try] [--json]`';

const DAY_MS = 86_400_000;

interface Options {
  readonly suites: readonly string[];
  readonly story: string | undefined;
  readonly db: DatabaseChoice | undefined;
  readonly runs: number | undefined;
  readonly seed: number | undefined;
  readonly allSeeds: boolean;
  readonly rotation: number;
  readonly counts: string | undefined;
  readonly json: boolean;
  /** Plays a check that failed once more and names it when it passes only then. */
  readonly secondTry: boolean;
}

/** Runs the suites that were asked for against one world. Exit codes: 0 all passed, 1 a check failed or the world cannot be had, 2 usage. */
async function main(args: readonly string[]): Promise<number> {
  const options = parse(args);
  if (typeof options === 'string') {
    process.stderr.write(`${options}\n`);
    return 2;
  }
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
  const { suites, counts: countsFile, ...asked } = options;
  const run = openRun({ ...asked, stop: stop.signal });
  try {
    for (const name of suites) {
      if (stop.signal.aborted) break;
      await playSuite(run, name);
    }
  } finally {
    await run.close();
  }
  const counts = run.counts();
  if (countsFile !== undefined) {
    mkdirSync(dirname(countsFile), { recursive: true });
    writeFileSync(countsFile, JSON.stringify({ passed: counts.passed, failed: counts.failed }));
  }
  run.summary();
  return counts.failed > 0 || counts.passed === 0 || stop.signal.aborted ? 1 : 0;
}

async function playSuite(run: Run, name: string): Promise<void> {
  const suite = SUITES[name];
  if (suite === undefined) throw new Error(`expected a suite named \`${name}\`; this is a bug in the test runner`);
  await run.suite(name, suite);
}

function parse(args: readonly string[]): Options | string {
  const known = { type: 'string' } as const;
  let values: {
    suite?: string;
    story?: string;
    db?: string;
    runs?: string;
    seed?: string;
    rotation?: string;
    'all-seeds'?: boolean;
    counts?: string;
    json?: boolean;
    'second-try'?: boolean;
  };
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        suite: known,
        story: known,
        db: known,
        runs: known,
        seed: known,
        rotation: known,
        'all-seeds': { type: 'boolean' },
        counts: known,
        json: { type: 'boolean' },
        'second-try': { type: 'boolean' },
      },
    }));
  } catch (error: unknown) {
    return `${USAGE}, found: ${error instanceof Error ? error.message : String(error)}`;
  }
  const { suite, story, db } = values;
  const named = suite?.split(',');
  const unknown = named?.find((name) => SUITES[name] === undefined);
  if (unknown !== undefined)
    return `expected some of the suites ${Object.keys(SUITES).join(', ')}, found \`${unknown}\``;
  if (story !== undefined && story !== STUCK_STATEFUL_SET && findStory(story) === undefined)
    return `expected one of the stories ${[...Object.keys(STORIES), STUCK_STATEFUL_SET].join(', ')}, found \`${story}\``;
  if (db !== undefined && db !== 'pg' && db !== 'pglite')
    return `expected \`--db pg\` or \`--db pglite\`, found \`${db}\``;
  for (const name of ['runs', 'seed', 'rotation'] as const)
    if (values[name] !== undefined && !/^\d{1,9}$/.test(values[name]))
      return `expected \`--${name}\` to be a whole number, found \`${values[name]}\``;
  // A story that is named without a suite is a wish to see that story, not everything else with it.
  const all = story === undefined ? Object.keys(SUITES) : ['stories'];
  return {
    suites: named ?? all,
    story,
    db,
    runs: values.runs === undefined ? undefined : Number(values.runs),
    seed: values.seed === undefined ? undefined : Number(values.seed),
    allSeeds: values['all-seeds'] === true,
    rotation: values.rotation === undefined ? Math.floor(Date.now() / DAY_MS) : Number(values.rotation),
    counts: values.counts,
    json: values.json === true,
    secondTry: values['second-try'] === true,
  };
}

process.exitCode = await main(process.argv.slice(2));
// What a failed suite may have left open must not keep a finished run alive.
process.exit();
