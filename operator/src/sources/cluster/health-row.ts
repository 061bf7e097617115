import type { Clock, Timers } from '@hephaisto/core/ports/clock';
import type { Database, Sql } from '@hephaisto/core/ports/database';
import type { FaultPoints } from '@hephaisto/core/ports/fault-points';
import { type Lease, LeaseLost, type RequireEpoch } from '@hephaisto/core/ports/leases';
import type { Logger } from '@hephaisto/core/ports/telemetry';
import type { HealthCounts } from './health-tally.ts';

interface RowDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
  readonly faults: FaultPoints;
  readonly requireEpoch: RequireEpoch;
}

/** Counts that moved are written this often at most. */
const WRITE_AT_MOST_EVERY_MS = 1_000;
/** Counts that hold are confirmed this often. Readers take a row of more than 30 s for unknown, so one confirmation may fail. */
const CONFIRM_EVERY_MS = 10_000;

/**
 * Writes the health of the cluster for as long as this replica leads the watch. `counts` is undefined while a feed is not in step: nothing is written
 * then, and the row grows old, which every reader takes for unknown.
 */
export async function keepHealthRow(
  deps: RowDeps,
  options: { readonly cluster: string; readonly namespaces: readonly string[]; readonly lease: Lease },
  counts: () => HealthCounts | undefined,
  signal: AbortSignal,
): Promise<void> {
  let written: HealthCounts | undefined;
  let writtenAtMs = 0;
  while (!signal.aborted) {
    const now = counts();
    const nowMs = deps.clock.monotonicMs();
    const due = written === undefined || nowMs - writtenAtMs >= CONFIRM_EVERY_MS;
    if (now !== undefined && (due || !sameCounts(now, written))) {
      try {
        await deps.db.transaction(async (tx) => {
          await deps.requireEpoch(tx, options.lease);
          await writeHealthRow(tx, { ...options, epoch: options.lease.epoch }, now);
        });
        await deps.faults.hit('watch:health-counted');
        written = now;
        writtenAtMs = nowMs;
      } catch (error: unknown) {
        if (error instanceof LeaseLost || signal.aborted) throw error;
        deps.log.warn('the health of the cluster could not be written', { error });
      }
    }
    await deps.timers.sleep(WRITE_AT_MOST_EVERY_MS, signal).catch(() => undefined);
  }
}

export async function writeHealthRow(
  tx: Sql,
  of: { readonly cluster: string; readonly namespaces: readonly string[]; readonly epoch: number },
  counts: HealthCounts,
): Promise<void> {
  await tx.execute(
    `INSERT INTO cluster_health (cluster, pods, unready_pods, nodes, unready_nodes, namespaces, counted_at, epoch)
     VALUES ($1, $2, $3, $4, $5, $6, app_now(), $7)
     ON CONFLICT (cluster) DO UPDATE SET pods = EXCLUDED.pods, unready_pods = EXCLUDED.unready_pods, nodes = EXCLUDED.nodes,
       unready_nodes = EXCLUDED.unready_nodes, namespaces = EXCLUDED.namespaces, counted_at = EXCLUDED.counted_at, epoch = EXCLUDED.epoch`,
    [of.cluster, counts.pods, counts.unreadyPods, counts.nodes, counts.unreadyNodes, of.namespaces, of.epoch],
  );
}

function sameCounts(a: HealthCounts, b: HealthCounts | undefined): boolean {
  return (
    b !== undefined &&
    a.pods === b.pods &&
    a.unreadyPods === b.unreadyPods &&
    a.nodes === b.nodes &&
    a.unreadyNodes === b.unreadyNodes
  );
}
