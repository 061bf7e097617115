import type { Clock, Ids, Timers } from '@hephaisto/core/ports/clock';
import type { Database } from '@hephaisto/core/ports/database';
import type { FaultPoints } from '@hephaisto/core/ports/fault-points';
import type { Lease, RequireEpoch } from '@hephaisto/core/ports/leases';
import type { Logger, Metrics } from '@hephaisto/core/ports/telemetry';
import type { Sha256Hex } from '@hephaisto/core/signal/fingerprint';
import { recordSightings } from '../../flow/signal-log/record-signals.ts';
import type { Sighting } from '../../flow/signal-log/sighting.ts';
import type { ClusterView } from './cluster-view.ts';
import type { Ledger } from './ledger.ts';
import { insertSamples } from './rows.ts';

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

/** Writes what the ledger holds, at once and in order, while the lease is ours. */
export interface SightingWriter {
  wake(): void;
  run(ledger: Ledger, view: ClusterView): Promise<void>;
}

/** Readiness and restarts are recorded at most this often. */
const SAMPLE_AT_MOST_EVERY_MS = 1_000;
const RETRY_MS = 500;

export function createSightingWriter(
  deps: WriterDeps,
  options: { readonly cluster: string; readonly sampleEveryMs: number; readonly lease: Lease },
  signal: AbortSignal,
): SightingWriter {
  let woken = false;
  let endWait: () => void = () => undefined;

  async function write(
    sightings: readonly Sighting[],
    view: ClusterView,
    sampling: 'none' | 'changed' | 'all',
  ): Promise<void> {
    const samples = sampling === 'none' ? [] : view.samples(sampling === 'all');
    if (sightings.length === 0 && samples.length === 0) return;
    await deps.db.transaction(async (tx) => {
      await deps.requireEpoch(tx, options.lease);
      await recordSightings(tx, deps, sightings);
      await insertSamples(tx, options.cluster, samples);
    });
    await deps.faults.hit('watch:recorded');
    for (const { observation } of sightings) {
      deps.metrics.count('signals_total', { source: 'k8s', kind: observation.kind });
    }
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

  return {
    wake() {
      woken = true;
      endWait();
    },
    async run(ledger, view) {
      let unwritten: readonly Sighting[] = [];
      let sinceAllMs = 0;
      const nowMs = (): number => deps.clock.monotonicMs();
      let sampledAt = nowMs();
      while (!signal.aborted) {
        woken = false;
        unwritten = [...unwritten, ...ledger.take()];
        const elapsed = nowMs() - sampledAt;
        const all = sinceAllMs + elapsed >= options.sampleEveryMs;
        const sampling = elapsed < SAMPLE_AT_MOST_EVERY_MS ? 'none' : all ? 'all' : 'changed';
        try {
          await write(unwritten, view, sampling);
          unwritten = [];
          if (sampling !== 'none') {
            sinceAllMs = all ? 0 : sinceAllMs + elapsed;
            sampledAt = nowMs();
          }
        } catch (error: unknown) {
          if (isLost(error) || signal.aborted) throw error;
          // Nothing is dropped: what was seen is written when the database is back, in the order it was seen.
          deps.log.warn('signals of the watch could not be written', { waiting: unwritten.length, error });
          await deps.timers.sleep(RETRY_MS, signal).catch(() => undefined);
          continue;
        }
        await wait(SAMPLE_AT_MOST_EVERY_MS);
      }
    },
  };
}

function isLost(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'tag' in error && error.tag === 'LeaseLost';
}
