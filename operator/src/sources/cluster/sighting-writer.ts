import type { Clock, Ids, Timers } from '@hephaisto/core/ports/clock';
import { type Database, StoreUnavailable } from '@hephaisto/core/ports/database';
import type { FaultPoints } from '@hephaisto/core/ports/fault-points';
import type { Lease, RequireEpoch } from '@hephaisto/core/ports/leases';
import type { FeedTarget } from '@hephaisto/core/ports/object-feed';
import type { Logger, Metrics } from '@hephaisto/core/ports/telemetry';
import type { Sha256Hex } from '@hephaisto/core/signal/fingerprint';
import { recordSightings } from '../../flow/signal-log/record-signals.ts';
import type { Sighting } from '../../flow/signal-log/sighting.ts';
import type { ClusterView } from './cluster-view.ts';
import type { ObservationBuffer } from './observation-buffer.ts';
import { insertSamples, markConditions } from './rows.ts';

interface WriterDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly faults: FaultPoints;
  readonly sha256: Sha256Hex;
  readonly requireEpoch: RequireEpoch;
}

/** Writes what the buffer holds, at once and in order, while the lease is ours. */
export interface SightingWriter {
  wake(): void;
  /** What a feed shows is unknown from now on, with why, or, when `unknown` is undefined, is known again. Written after what came before. */
  mark(target: FeedTarget, unknown: string | undefined): void;
  run(view: ClusterView): Promise<void>;
}

/** Readiness and restarts are recorded at most this often. */
const SAMPLE_AT_MOST_EVERY_MS = 1_000;
const RETRY_MS = 500;
/** Observations a transaction: small enough not to hold up everybody else who writes. */
const BATCH_SIZE = 200;

export function createSightingWriter(
  deps: WriterDeps,
  options: {
    readonly cluster: string;
    readonly sampleEveryMs: number;
    readonly lease: Lease;
    readonly buffer: ObservationBuffer;
  },
  signal: AbortSignal,
): SightingWriter {
  let woken = false;
  const marks = new Map<FeedTarget, string | undefined>();
  let endWait: () => void = () => undefined;

  async function write(sightings: readonly Sighting[]): Promise<void> {
    await deps.db.transaction(async (tx) => {
      await deps.requireEpoch(tx, options.lease);
      await recordSightings(tx, deps, sightings);
    });
    await deps.faults.hit('watch:recorded');
  }

  /** Writes all but those that cannot be written at all: one of them must not keep the others, and all that come after, from the table. */
  async function writeApart(sightings: readonly Sighting[]): Promise<void> {
    const [first] = sightings;
    if (first === undefined) return;
    try {
      await write(sightings);
    } catch (error: unknown) {
      if (isNotAboutContent(error) || signal.aborted) throw error;
      if (sightings.length > 1) {
        const half = Math.ceil(sightings.length / 2);
        await writeApart(sightings.slice(0, half));
        return writeApart(sightings.slice(half));
      }
      const { kind, namespace, owner } = first.observation;
      deps.log.error('an observation of the watch was refused and is dropped', { kind, namespace, owner, error });
      deps.metrics.count('watch_observations_dropped_total', { reason: 'refused' });
      return;
    }
    for (const { observation } of sightings)
      deps.metrics.count('signals_total', { source: 'k8s', kind: observation.kind });
  }

  async function writeMarks(): Promise<void> {
    for (const [target, unknown] of [...marks]) {
      await deps.db.transaction(async (tx) => {
        await deps.requireEpoch(tx, options.lease);
        await markConditions(tx, options.cluster, target, unknown);
      });
      await deps.faults.hit('watch:conditions-marked');
      if (marks.get(target) === unknown) marks.delete(target);
    }
  }

  async function writeSamples(view: ClusterView, all: boolean): Promise<void> {
    const samples = view.samples(all);
    if (samples.length === 0) return;
    await deps.db.transaction(async (tx) => {
      await deps.requireEpoch(tx, options.lease);
      await insertSamples(tx, options.cluster, samples);
    });
    await deps.faults.hit('watch:sampled');
  }

  async function wait(milliseconds: number): Promise<void> {
    if (woken || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const cancel = deps.timers.after(milliseconds, done);
      function done(): void {
        cancel();
        signal.removeEventListener('abort', done);
        endWait = () => undefined;
        resolve();
      }
      endWait = done;
      signal.addEventListener('abort', done, { once: true });
    });
  }

  const wake = (): void => {
    woken = true;
    endWait();
  };
  return {
    wake,
    mark(target, unknown) {
      marks.set(target, unknown);
      wake();
    },
    async run(view) {
      const { buffer } = options;
      let sinceAllMs = 0;
      const nowMs = (): number => deps.clock.monotonicMs();
      let sampledAt = nowMs();
      while (!signal.aborted) {
        woken = false;
        const batch = buffer.take(BATCH_SIZE);
        const elapsed = nowMs() - sampledAt;
        const all = sinceAllMs + elapsed >= options.sampleEveryMs;
        let written = false;
        try {
          await writeApart(batch);
          written = true;
          if (buffer.size === 0) await writeMarks();
        } catch (error: unknown) {
          if (isLost(error) || signal.aborted) throw error;
          // What was seen is written when the database is back. A row that was written before is only counted once more.
          if (!written) buffer.putBack(batch);
          deps.log.warn('signals of the watch could not be written', { waiting: buffer.size, error });
          await deps.timers.sleep(RETRY_MS, signal).catch(() => undefined);
          continue;
        }
        if (elapsed >= SAMPLE_AT_MOST_EVERY_MS) {
          sinceAllMs = all ? 0 : sinceAllMs + elapsed;
          sampledAt = nowMs();
          await writeSamples(view, all).catch((error: unknown) => {
            if (isLost(error) || signal.aborted) throw error;
            deps.log.warn('samples of workloads could not be written', { error });
          });
        }
        if (buffer.size === 0) await wait(SAMPLE_AT_MOST_EVERY_MS);
      }
    },
  };
}

/** The database could not answer, or the lease is gone: the same observation may be written at another time. */
function isNotAboutContent(error: unknown): boolean {
  return isLost(error) || error instanceof StoreUnavailable;
}

function isLost(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'tag' in error && error.tag === 'LeaseLost';
}
