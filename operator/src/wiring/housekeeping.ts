import type { Timers } from '@hephaisto/core/ports/clock';
import type { Database } from '@hephaisto/core/ports/database';
import type { Logger } from '@hephaisto/core/ports/telemetry';

/** What may go, and when. Each is a delete of rows that nothing reads any more, so several replicas may do it at once. */
const SWEEPS: Readonly<Record<string, string>> = {
  'idempotency keys': `DELETE FROM idempotency_keys WHERE created_at < app_now() - interval '1 day'`,
  'sign-in links': `DELETE FROM sign_in_links WHERE expires_at < app_now() - interval '1 day'`,
  'ended sessions': `DELETE FROM web_sessions
    WHERE coalesce(revoked_at, expires_at) < app_now() - interval '7 days'`,
  'expired evidence': `DELETE FROM evidence_blobs WHERE expires_at <= app_now()`,
  'expired transcripts': `DELETE FROM model_exchanges WHERE expires_at <= app_now()`,
};

const FIRST_MS = 60_000;
const EVERY_MS = 3_600_000;

/** Removes what has had its time, one statement each. A database that is away is met again an hour later. */
export async function sweepOnce(db: Database): Promise<Readonly<Record<string, number>>> {
  const removed: Record<string, number> = {};
  for (const [what, statement] of Object.entries(SWEEPS)) removed[what] = await db.execute(statement);
  return removed;
}

/** Sweeps soon after the start and then every hour, until closed. */
export function startHousekeeping(deps: { readonly db: Database; readonly timers: Timers; readonly log: Logger }): {
  close(): Promise<void>;
} {
  let closed = false;
  let running = Promise.resolve();
  let cancel = deps.timers.after(FIRST_MS, sweep);
  function sweep(): void {
    running = sweepOnce(deps.db).then(
      (removed) => deps.log.debug('housekeeping done', removed),
      (error: unknown) => deps.log.warn('housekeeping failed', { error }),
    );
    if (!closed) cancel = deps.timers.after(EVERY_MS, sweep);
  }
  return {
    async close() {
      closed = true;
      cancel();
      await running;
    },
  };
}
