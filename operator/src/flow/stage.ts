import type { Clock, Ids, Timers } from '@hephaisto/core/ports/clock';
import type { Database, Sql } from '@hephaisto/core/ports/database';
import type { FaultPoints } from '@hephaisto/core/ports/fault-points';
import type { IncidentLog } from '@hephaisto/core/ports/incident-log';
import type { Logger, Metrics, Tracer } from '@hephaisto/core/ports/telemetry';

/** Names under which stages wake each other through the database; also their metric label. */
export const STAGE_NAMES = [
  'ingest',
  'dedupe',
  'incident',
  'investigate',
  'plan',
  'admit',
  'act',
  'verify',
  'notify',
  'sweep',
] as const;
export type StageName = (typeof STAGE_NAMES)[number];

/** What every stage may use. A stage sees ports only. */
export interface StageDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly faults: FaultPoints;
  readonly incidents: IncidentLog;
  /** Written to `leases.holder`: who this process is. */
  readonly holder: Readonly<Record<string, string>>;
  /** Whether a process of this host still runs, by the id that it wrote to its holder. */
  readonly isAlive: (pid: string) => boolean;
}

/**
 * One stage of the line. `pass` takes rows in one state and leaves them in the next: it claims what is due, works on it, and returns how
 * many rows it moved; a pass that moved something is followed by another at once. Processing a row twice changes nothing.
 */
export interface Stage {
  readonly name: StageName;
  /** Longest time between two passes; a nudge or due row may come earlier. */
  readonly pollMs: number;
  pass(signal: AbortSignal): Promise<number>;
}

const CHANNEL = 'hephaisto_stage';

/**
 * Wakes a stage on every replica once the caller's transaction has committed. A hint: a lost nudge costs at most one poll interval.
 */
export async function nudge(tx: Sql, stage: StageName): Promise<void> {
  await tx.query('SELECT pg_notify($1, $2)', [CHANNEL, stage]);
}

/** Fewer failures in a row are a hiccup that the next pass mends. */
const FAILURES_TO_TELL = 3;

export interface FailingStage {
  readonly stage: StageName;
  /** Passes in a row that failed. */
  readonly failures: number;
  readonly message: string;
}

/** What this process knows of its stages' failures. */
export interface StageBoard {
  failed(stage: StageName, error: unknown): void;
  passed(stage: StageName): void;
  /** Those that keep failing. */
  failing(): readonly FailingStage[];
}

export function createStageBoard(): StageBoard {
  const known = new Map<StageName, FailingStage>();
  return {
    failed(stage, error) {
      const message = error instanceof Error ? error.message : String(error);
      known.set(stage, { stage, failures: (known.get(stage)?.failures ?? 0) + 1, message });
    },
    passed: (stage) => void known.delete(stage),
    failing: () => [...known.values()].filter((each) => each.failures >= FAILURES_TO_TELL),
  };
}

export interface RunningStages {
  /** Stops taking rows, waits for the passes under way. Idempotent. */
  close(): Promise<void>;
}

/** Runs each stage in its own loop until closed. A pass that throws is logged, counted and tried again after a growing pause. */
export async function runStages(
  stages: readonly Stage[],
  deps: Pick<StageDeps, 'db' | 'timers' | 'log' | 'metrics'>,
  board: StageBoard = createStageBoard(),
): Promise<RunningStages> {
  const stop = new AbortController();
  const wakes = new Map<string, () => void>();
  const unlisten = await deps.db.listen(CHANNEL, (payload) => {
    if (payload === '') for (const wake of wakes.values()) wake();
    else wakes.get(payload)?.();
  });
  const loops = stages.map((stage) =>
    loop(stage, { ...deps, board }, stop.signal, (wake) => wakes.set(stage.name, wake)),
  );
  let closing: Promise<void> | undefined;
  return {
    close() {
      closing ??= (async () => {
        stop.abort();
        await Promise.all(loops);
        await unlisten();
      })();
      return closing;
    },
  };
}

const LONGEST_PAUSE_MS = 10_000;

async function loop(
  stage: Stage,
  deps: Pick<StageDeps, 'timers' | 'log' | 'metrics'> & { readonly board: StageBoard },
  signal: AbortSignal,
  register: (wake: () => void) => void,
): Promise<void> {
  let woken = false;
  let endWait = () => {};
  register(() => {
    woken = true;
    endWait();
  });
  let failures = 0;
  while (!signal.aborted) {
    woken = false;
    let moved = 0;
    try {
      moved = await stage.pass(signal);
      failures = 0;
      deps.board.passed(stage.name);
    } catch (error: unknown) {
      if (signal.aborted) return;
      failures += 1;
      deps.board.failed(stage.name, error);
      deps.metrics.count('stage_errors_total', { stage: stage.name });
      deps.log.warn('stage pass failed', { stage: stage.name, failures, error });
    }
    // A nudge that came during the pass must not be lost, or its row would wait for a whole poll.
    if (failures === 0 && (moved > 0 || woken)) continue;
    const pause = failures === 0 ? stage.pollMs : Math.min(LONGEST_PAUSE_MS, 100 * 2 ** Math.min(failures, 7));
    await new Promise<void>((resolve) => {
      const cancel = deps.timers.after(pause, done);
      function done(): void {
        cancel();
        signal.removeEventListener('abort', done);
        endWait = () => {};
        resolve();
      }
      signal.addEventListener('abort', done, { once: true });
      if (failures === 0) endWait = done;
      if (signal.aborted) done();
    });
  }
}
