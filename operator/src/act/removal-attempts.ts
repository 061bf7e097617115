import type { Sql } from '@hephaisto/core/ports/database';
import { type AttemptOutcome, openAttempt, recordReadback, settleAttempt } from './attempts.ts';

/** The newest call to remove one pod, and how many there were. */
export interface EarlierRemovals {
  readonly id: string;
  readonly outcome: AttemptOutcome;
  readonly count: number;
  /** Time since the call ended, on the database's clock. */
  readonly ageMs: number;
  readonly message: string;
}

export async function earlierRemovals(sql: Sql, actionId: string, pod: string): Promise<EarlierRemovals | undefined> {
  const [row] = await sql.query<Omit<EarlierRemovals, 'message'> & { readonly message: string | null }>(
    `SELECT id, outcome, (count(*) OVER ())::int AS count, coalesce(response ->> 'readback', response ->> 'message') AS message,
       (extract(epoch FROM app_now() - coalesce(finished_at, started_at)) * 1000)::float8 AS "ageMs"
     FROM action_attempts WHERE action_id = $1 AND phase = 'removal' AND request ->> 'name' = $2 ORDER BY n DESC LIMIT 1`,
    [actionId, pod],
  );
  return row === undefined ? undefined : { ...row, message: row.message ?? 'the pod could not be removed' };
}

/** Closes what is open of the removals of an action that ends: a call that was written down may have been sent, and nobody reads it back. */
export async function giveUpRemovals(tx: Sql, actionId: string, message: string): Promise<void> {
  const open = await openAttempt(tx, actionId);
  if (open?.phase === 'removal') await settleAttempt(tx, open.id, 'unknown', { message });
  const unread = await tx.query<{ id: string }>(
    `SELECT id FROM action_attempts WHERE action_id = $1 AND phase = 'removal' AND outcome = 'unknown' AND readback IS NULL`,
    [actionId],
  );
  for (const { id } of unread) await recordReadback(tx, id, 'inconclusive', message);
}
