import { readFileSync } from 'node:fs';
import { LINE_FAULT_POINTS } from '@hephaisto/core/ports/fault-point-names';
import { verifies } from '@hephaisto/test/verifies';
import type { Context } from '../context.ts';
import { type CopiedDatabases, copiedDatabases } from '../crashes/databases.ts';
import { playRun } from '../crashes/play-run.ts';
import { PLOTS } from '../crashes/plots.ts';
import { chosenSeeds, type Scheduled, scheduled, walkLength } from '../crashes/schedule.ts';

/** A run waits for most of its time: leases of the dead, checks that are due, pauses of readbacks. */
const ABREAST = 4;

/**
 * Kills the operator between every two commits of the line and starts it again; the simulated cluster lives on in this process. Random seeds
 * rotate from day to day: `--rotation N` repeats a part, `--all-seeds` plays all, `--runs N` the first so many, `--seed N` one alone.
 */
export async function runCrashes(context: Context): Promise<void> {
  verifies('H3-19', 'H3-26', 'H3-151', 'H3-152', 'H4-20', 'H4-116');
  const { postgres, folder } = await context.world();
  if (postgres === undefined) throw new Error('expected a world with PostgreSQL; this is a bug in the test runner');
  const databases = await copiedDatabases(postgres.url, folder);
  const seeds = chosenSeeds(context, PLOTS);
  if (context.seed === undefined && context.runs === undefined && !context.allSeeds)
    context.say(`${seeds.length} seeds; --rotation ${context.rotation} plays the same ones again`);
  const walked = context.seed === undefined && seeds.length >= walkLength(PLOTS);
  const reached = new Set<string>();
  const failed: number[] = [];
  try {
    const queue = [...seeds];
    const worker = async () => {
      for (let seed = queue.shift(); seed !== undefined && !context.signal.aborted; seed = queue.shift()) {
        const run = scheduled(seed, PLOTS, context.db);
        const passed = await context.check(`seed ${run.seed}: ${run.title} (${run.db})`, () =>
          playScheduled(run, databases, folder, reached),
        );
        if (!passed) failed.push(run.seed);
      }
    };
    await Promise.all(Array.from({ length: ABREAST }, worker));
  } finally {
    await databases.close();
  }
  if (failed.length > 0) context.say(`replay with --suite crashes --seed N: ${failed.join(', ')}`);
  if (walked && !context.signal.aborted)
    await context.check('every fault point of the line killed the operator at least once', () => {
      const missed = LINE_FAULT_POINTS.filter((point) => !reached.has(point));
      if (missed.length > 0) throw new Error(`expected every point to be reached, found not: ${missed.join(', ')}`);
    });
}

async function playScheduled(
  run: Scheduled,
  databases: CopiedDatabases,
  folder: string,
  reached: Set<string>,
): Promise<void> {
  const database = await databases.take(run.db);
  const name = `seed-${run.seed}`;
  try {
    const result = await playRun({ plot: run.plot, database: database.input, folder, name, faults: run.lives });
    for (const point of result.killedAt) reached.add(point);
    const found = [...result.differences];
    if (result.killedAt.length === 0 && run.lives.length === 1 && run.lives[0]?.[0]?.skip === undefined)
      found.push('expected the operator to reach the point, found that it did not');
    if (found.length > 0) throw new Error(found.join('\n'));
  } catch (error: unknown) {
    throw new Error(
      `${error instanceof Error ? error.message : String(error)}\n${tail(`${folder}/operator-${name}.log`)}`,
    );
  } finally {
    await database.drop();
  }
}

/** What the operator complained of last. */
function tail(file: string): string {
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    return lines
      .filter((line) => /"(warn|error)"/.test(line) || !line.startsWith('{'))
      .slice(-6)
      .join('\n')
      .slice(-2_000);
  } catch {
    return '';
  }
}
