import type { Database, Sql } from '@hephaisto/core/ports/database';
import type { FaultPoints } from '@hephaisto/core/ports/fault-points';
import { cleanJsonText, cleanText, clip } from '@hephaisto/core/signal/clean-text';

export interface PendingIntake {
  readonly id: number;
  readonly body: string;
  /** The trace of the delivery. */
  readonly traceparent: string | null;
}

/** Oldest first. Bodies are large, so few at a time and within a budget of bytes; always at least one. */
export async function pendingIntake(db: Database, limit: number): Promise<readonly PendingIntake[]> {
  return await db.query<PendingIntake>(
    `SELECT id, body, traceparent FROM (
       SELECT id, body, traceparent, sum(octet_length(body)) OVER (ORDER BY id) AS bytes, row_number() OVER (ORDER BY id) AS n
       FROM (SELECT id, body, traceparent FROM intake WHERE status = 'Pending' ORDER BY id LIMIT $1) AS oldest) AS budgeted
     WHERE n = 1 OR bytes <= 8000000 ORDER BY id`,
    [limit],
  );
}

/** Whether the row is still to be done and ours for the rest of the transaction. */
export async function claimIntake(tx: Sql, id: number): Promise<boolean> {
  const rows = await tx.query(`SELECT id FROM intake WHERE id = $1 AND status = 'Pending' FOR UPDATE SKIP LOCKED`, [
    id,
  ]);
  return rows.length === 1;
}

export async function settleIntake(tx: Sql, id: number, outcome: Readonly<Record<string, unknown>>): Promise<void> {
  await tx.execute(
    `UPDATE intake SET status = 'Done', attempts = attempts + 1, outcome = $2::jsonb, settled_at = app_now() WHERE id = $1`,
    [id, cleanJsonText(outcome)],
  );
}

/** Counts a failed try; true when it was the last and the body is put aside, with why. */
export async function poisonIntake(
  { db, faults }: { readonly db: Database; readonly faults: FaultPoints },
  id: number,
  attempts: number,
  error: unknown,
): Promise<boolean> {
  const why = clip(cleanText(error instanceof Error ? error.message : String(error)), 1_000);
  const rows = await db.query<{ poisoned: boolean }>(
    `UPDATE intake SET attempts = attempts + 1, outcome = jsonb_build_object('error', $3::text),
       status = CASE WHEN attempts + 1 >= $2 THEN 'Poison' ELSE status END,
       settled_at = CASE WHEN attempts + 1 >= $2 THEN app_now() END
     WHERE id = $1 AND status = 'Pending' RETURNING status = 'Poison' AS poisoned`,
    [id, attempts, why],
  );
  await faults.hit('ingest:poisoned');
  return rows[0]?.poisoned === true;
}
