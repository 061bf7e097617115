import { redactText } from '@hephaisto/core/evidence/redact';
import type { Database, Sql } from '@hephaisto/core/ports/database';
import type { FaultPoints } from '@hephaisto/core/ports/fault-points';
import { cleanJsonText, cleanText, clip } from '@hephaisto/core/signal/clean-text';
import { z } from 'zod';

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

/** Those that are still to be done and ours for the rest of the transaction, in the order given. */
export async function claimIntake<Body extends { readonly id: number }>(
  tx: Sql,
  bodies: readonly Body[],
): Promise<readonly Body[]> {
  const rows = await tx.query<{ id: number }>(
    `SELECT id FROM intake WHERE id = ANY($1::bigint[]) AND status = 'Pending' ORDER BY id FOR UPDATE SKIP LOCKED`,
    [bodies.map(({ id }) => id)],
  );
  const claimed = new Set(rows.map(({ id }) => id));
  return bodies.filter(({ id }) => claimed.has(id));
}

/** How far a body that is written in several transactions has come. */
export interface IntakeProgress {
  /** The last key that is written, in the order of keys. */
  readonly upTo: string;
  readonly inserted: number;
  readonly repeated: number;
}

const progressSchema = z.object({
  progress: z.object({ upTo: z.string(), inserted: z.number(), repeated: z.number() }),
});

export async function readProgress(tx: Sql, id: number): Promise<IntakeProgress | undefined> {
  const [row] = await tx.query<{ outcome: unknown }>('SELECT outcome FROM intake WHERE id = $1', [id]);
  const read = progressSchema.safeParse(row?.outcome);
  return read.success ? read.data.progress : undefined;
}

export async function saveProgress(tx: Sql, id: number, progress: IntakeProgress): Promise<void> {
  await tx.execute('UPDATE intake SET outcome = $2::jsonb WHERE id = $1', [id, cleanJsonText({ progress })]);
}

export async function settleIntake(
  tx: Sql,
  settled: readonly { readonly id: number; readonly outcome: Readonly<Record<string, unknown>> }[],
): Promise<void> {
  if (settled.length === 0) return;
  await tx.execute(
    `UPDATE intake i SET status = 'Done', attempts = i.attempts + 1, outcome = r.outcome, settled_at = app_now()
     FROM jsonb_to_recordset($1::jsonb) AS r (id bigint, outcome jsonb) WHERE i.id = r.id`,
    [cleanJsonText(settled)],
  );
}

/** Counts a failed try; true when it was the last and the body is put aside, with why. */
export async function poisonIntake(
  { db, faults }: { readonly db: Database; readonly faults: FaultPoints },
  id: number,
  attempts: number,
  error: unknown,
  reason: 'failed' | 'unreadable' = 'failed',
): Promise<boolean> {
  // A parser quotes what it could not read.
  const why = clip(redactText(cleanText(error instanceof Error ? error.message : String(error))), 1_000);
  const rows = await db.query<{ poisoned: boolean }>(
    `UPDATE intake SET attempts = attempts + 1,
       outcome = coalesce(outcome, '{}') || jsonb_build_object('error', $3::text, 'reason', $4::text),
       status = CASE WHEN attempts + 1 >= $2 THEN 'Poison' ELSE status END,
       settled_at = CASE WHEN attempts + 1 >= $2 THEN app_now() END
     WHERE id = $1 AND status = 'Pending' RETURNING status = 'Poison' AS poisoned`,
    [id, attempts, why, reason],
  );
  await faults.hit('ingest:poisoned');
  return rows[0]?.poisoned === true;
}
