import type { Timers } from '@hephaisto/core/ports/clock';
import type { Database } from '@hephaisto/core/ports/database';
import type { FaultPoints } from '@hephaisto/core/ports/fault-points';
import type { Logger } from '@hephaisto/core/ports/telemetry';
import { reapLostCalls } from '../flow/turn-log/reap-lost-calls.ts';
import { refreshStatistics } from './table-statistics.ts';

/** What may go, and when. Each is a delete of rows that nothing reads any more, so several replicas may do it at once. */
const SWEEPS: Readonly<Record<string, string>> = {
  'idempotency keys': `DELETE FROM idempotency_keys WHERE created_at < app_now() - interval '1 day'`,
  'sign-in links': `DELETE FROM sign_in_links WHERE expires_at < app_now() - interval '1 day'`,
  'ended sessions': `DELETE FROM web_sessions
    WHERE coalesce(revoked_at, expires_at) < app_now() - interval '7 days'`,
  'expired evidence': `DELETE FROM evidence_blobs WHERE expires_at <= app_now()`,
  'expired transcripts': `DELETE FROM model_exchanges WHERE expires_at <= app_now()`,
};

const FIRST_SWEEP_MS = 60_000;
const SWEEP_EVERY_MS = 3_600_000;
/** As often as autovacuum looks: a storm that starts in empty tables must not be planned for empty tables until it is over. */
const STATISTICS_EVERY_MS = 60_000;
/**
 * A lost call holds its share of the budget until it is ended. The stage that investigates ends such calls too, but only between two passes,
 * and a pass lasts as long as its longest investigation.
 */
const REAP_CALLS_EVERY_MS = 5_000;

/** Removes what has had its time, one statement each. A database that is away is met again an hour later. */
export async function sweepOnce(db: Database): Promise<Readonly<Record<string, number>>> {
  const removed: Record<string, number> = {};
  for (const [what, statement] of Object.entries(SWEEPS)) removed[what] = await db.execute(statement);
  return removed;
}

interface HousekeepingDeps {
  readonly db: Database;
  readonly timers: Timers;
  readonly log: Logger;
  readonly faults: FaultPoints;
}

/** Until closed: sweeps soon after the start and then every hour, renews the statistics of changed tables, and ends lost calls of a model. */
export function startHousekeeping(deps: HousekeepingDeps): { close(): Promise<void> } {
  const chores = [
    repeat(deps, FIRST_SWEEP_MS, SWEEP_EVERY_MS, async () =>
      deps.log.debug('housekeeping done', await sweepOnce(deps.db)),
    ),
    repeat(deps, REAP_CALLS_EVERY_MS, REAP_CALLS_EVERY_MS, async () => void (await reapLostCalls(deps))),
    repeat(deps, STATISTICS_EVERY_MS, STATISTICS_EVERY_MS, async () => {
      const tables = await refreshStatistics(deps.db);
      if (tables.length > 0) deps.log.debug('table statistics renewed', { tables });
    }),
  ];
  return {
    async close() {
      await Promise.all(chores.map((chore) => chore.close()));
    },
  };
}

/** Does the work again and again, each time after the last has ended. A failure is logged and met again the next time. */
function repeat(
  { timers, log }: Pick<HousekeepingDeps, 'timers' | 'log'>,
  firstMs: number,
  everyMs: number,
  work: () => Promise<void>,
): { close(): Promise<void> } {
  let closed = false;
  let running = Promise.resolve();
  let cancel = timers.after(firstMs, run);
  function run(): void {
    running = work()
      .catch((error: unknown) => log.warn('housekeeping failed', { error }))
      .then(() => {
        if (!closed) cancel = timers.after(everyMs, run);
      });
  }
  return {
    async close() {
      closed = true;
      cancel();
      await running;
    },
  };
}
