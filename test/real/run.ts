import type { Asked } from '../contract/api.ts';
import { uncovered } from '../contract/coverage.ts';
import { ALL_PARTS, startWorld, type World } from '../world/world.ts';
import type { Context, DatabaseChoice } from './context.ts';
import { followAudit, takeAsked } from './harness/asked.ts';
import { furnishCluster, type RealCluster } from './harness/cluster.ts';
import type { Suite } from './suites.ts';

/** One run of the command: its world, its counts, and how it speaks. */
export interface Run {
  /** Runs the suite within its time. What it throws outside a check is a failed check of its own. */
  suite(name: string, suite: Suite): Promise<void>;
  counts(): { readonly passed: number; readonly failed: number };
  /** The last line. */
  summary(): void;
  close(): Promise<void>;
}

interface RunOptions {
  readonly json: boolean;
  readonly secondTry: boolean;
  readonly db: DatabaseChoice | undefined;
  readonly story: string | undefined;
  readonly runs: number | undefined;
  readonly seed: number | undefined;
  readonly allSeeds: boolean;
  readonly rotation: number;
  readonly stop: AbortSignal;
}

/** After its time is over a suite gets so long to end by itself, so that what it started is closed in order. */
const WIND_UP_MS = 20_000;

/** A suite that needs more of its budget than this says so, before it fails by it. */
const NEAR_ITS_END = 0.8;

export function openRun(options: RunOptions): Run {
  const counts = { passed: 0, failed: 0 };
  let world: Promise<World> | undefined;
  let cluster: Promise<RealCluster> | undefined;
  const openWorld = () => {
    world ??= startWorld(ALL_PARTS, (line) => void process.stderr.write(`world: ${line}\n`));
    return world;
  };
  const print = (line: string) => void process.stdout.write(`${line}\n`);

  function report(suite: string, title: string, ms: number, error?: unknown): void {
    counts[error === undefined ? 'passed' : 'failed'] += 1;
    const found = error instanceof Error ? error.message : String(error);
    if (options.json) {
      const verdict = error === undefined ? 'passed' : 'failed';
      print(JSON.stringify({ type: 'check', suite, title, verdict, ms, ...(error === undefined ? {} : { found }) }));
      return;
    }
    print(`${error === undefined ? 'ok  ' : 'FAIL'} ${suite}: ${title} (${(ms / 1000).toFixed(1)} s)`);
    if (error !== undefined) print(`     ${found.replaceAll('\n', '\n     ')}`);
  }

  function contextOf(suite: string, signal: AbortSignal): Context {
    const say = (line: string) => void process.stderr.write(`${suite}: ${line}\n`);
    const play = async (title: string, body: () => Promise<void> | void): Promise<void> => {
      try {
        await body();
      } catch (error: unknown) {
        if (!options.secondTry || signal.aborted) throw error;
        // Told apart, never hidden: what fails in company and passes alone is named for whoever reads the run.
        say(`failed at first: ${title}: ${error instanceof Error ? error.message : String(error)}`);
        await body();
        say(`passed only at the second try: ${title}`);
      }
    };
    return {
      db: options.db,
      story: options.story,
      runs: options.runs,
      seed: options.seed,
      allSeeds: options.allSeeds,
      rotation: options.rotation,
      signal,
      say,
      world: openWorld,
      cluster: () => {
        cluster ??= openWorld().then(furnishCluster);
        return cluster;
      },
      async check(title, body) {
        const started = Date.now();
        try {
          await play(title, body);
          report(suite, title, Date.now() - started);
          return true;
        } catch (error: unknown) {
          report(suite, title, Date.now() - started, error);
          return false;
        }
      },
    };
  }

  let auditOnward: (() => readonly Asked[]) | undefined;

  /** What a suite asked of a cluster must be something that the contract has compared, or its simulation would rest on a guess. */
  async function withinContract(context: Context): Promise<void> {
    const real = await cluster?.catch(() => undefined);
    if (real !== undefined) auditOnward ??= followAudit(real.auditLog);
    const asked = [...takeAsked(), ...(auditOnward?.() ?? [])];
    if (asked.length === 0) return;
    await context.check('every kind of request in it is one that the contract has compared', () => {
      const missing = uncovered(asked);
      if (missing.length > 0) throw new Error(`expected a case for each kind, found none for ${missing.join('; ')}`);
    });
  }

  return {
    async suite(name, suite) {
      const started = Date.now();
      const over = new AbortController();
      const timer = setTimeout(
        () => over.abort(new Error(`expected the suite within its ${suite.minutes} minutes, found it still at work`)),
        suite.minutes * 60_000,
      );
      const signal = AbortSignal.any([options.stop, over.signal]);
      try {
        const context = contextOf(name, signal);
        await untilAborted(suite.run(context), signal);
        await withinContract(context);
      } catch (error: unknown) {
        report(name, 'runs to its end', Date.now() - started, error);
      } finally {
        clearTimeout(timer);
      }
      const seconds = Math.round((Date.now() - started) / 1000);
      const near =
        seconds > suite.minutes * 60 * NEAR_ITS_END ? `, more than ${NEAR_ITS_END * 100} % of its budget` : '';
      process.stderr.write(`${name}: ${seconds} s of ${suite.minutes} minutes${near}\n`);
    },
    counts: () => counts,
    summary() {
      const { passed, failed } = counts;
      print(
        options.json
          ? JSON.stringify({ type: 'summary', passed, failed, skipped: 0 })
          : `\n${passed} passed, ${failed} failed`,
      );
    },
    async close() {
      await (await cluster?.catch(() => undefined))?.close();
      await (await world?.catch(() => undefined))?.stop();
    },
  };
}

/** The work's own end, or the signal's reason once the work has had time to notice. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const gaveUp = new Promise<never>((_, reject) => {
    const give = () => setTimeout(() => reject(signal.reason), WIND_UP_MS).unref();
    if (signal.aborted) give();
    else signal.addEventListener('abort', give, { once: true });
  });
  gaveUp.catch(() => undefined);
  await Promise.race([work, gaveUp]);
  if (signal.aborted) throw signal.reason;
}
