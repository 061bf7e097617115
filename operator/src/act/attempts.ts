import type { KubeWrite } from '@hephaisto/core/action/types';
import type { Sql } from '@hephaisto/core/ports/database';
import type { KubeFailure } from '@hephaisto/core/ports/kube';
import { cleanJsonText } from '@hephaisto/core/signal/clean-text';
import type { GateResult } from '@hephaisto/policy/gate';

export type AttemptPhase = 'dry_run' | 'execute' | 'removal' | 'rollback';
export type AttemptOutcome = 'succeeded' | 'rejected' | 'failed' | 'unknown';

export interface OpenAttempt {
  readonly id: string;
  readonly phase: AttemptPhase;
  readonly n: number;
}

/** Writes down a call before it is made. Its number is the next of its phase; the database refuses a second open attempt of the action. */
export async function startAttempt(
  tx: Sql,
  attempt: {
    readonly id: string;
    readonly actionId: string;
    readonly phase: AttemptPhase;
    readonly epoch: number;
    readonly write: KubeWrite;
    readonly gates?: readonly GateResult[];
  },
): Promise<OpenAttempt> {
  const [row] = await tx.query<{ n: number }>(
    `INSERT INTO action_attempts (id, action_id, phase, n, leader_epoch, request, target_uid, target_resource_version, outcome, gates)
     SELECT $1, $2, $3, coalesce(max(n), 0) + 1, $4, $5::jsonb, $6, $7, 'started', $8::jsonb
       FROM action_attempts WHERE action_id = $2 AND phase = $3 RETURNING n`,
    [
      attempt.id,
      attempt.actionId,
      attempt.phase,
      attempt.epoch,
      cleanJsonText(attempt.write),
      testedValue(attempt.write, '/metadata/uid'),
      testedValue(attempt.write, '/metadata/resourceVersion'),
      cleanJsonText(attempt.gates ?? []),
    ],
  );
  return { id: attempt.id, phase: attempt.phase, n: row?.n ?? 1 };
}

/** Ends an open attempt; one that is no longer open stays as it is, since its outcome is already known. */
export async function settleAttempt(
  tx: Sql,
  id: string,
  outcome: AttemptOutcome,
  answer: { readonly status?: number | undefined; readonly message: string },
): Promise<void> {
  await tx.execute(
    `UPDATE action_attempts SET outcome = $2, http_status = $3, response = $4::jsonb, finished_at = app_now()
     WHERE id = $1 AND outcome = 'started'`,
    [id, outcome, answer.status ?? null, cleanJsonText({ message: answer.message })],
  );
}

export async function openAttempt(sql: Sql, actionId: string): Promise<OpenAttempt | undefined> {
  const [row] = await sql.query<OpenAttempt>(
    `SELECT id, phase, n FROM action_attempts WHERE action_id = $1 AND outcome = 'started'`,
    [actionId],
  );
  return row;
}

/** A dry run whose process died has changed nothing: it is closed, so that another can be made. */
export async function abandonDryRun(tx: Sql, actionId: string): Promise<void> {
  await tx.execute(
    `UPDATE action_attempts SET outcome = 'failed', response = '{"message":"the process that made the call is gone"}', finished_at = app_now()
     WHERE action_id = $1 AND outcome = 'started' AND phase = 'dry_run'`,
    [actionId],
  );
}

/** How many calls of the action the server refused because the target had moved. A call that it refused as one too many is not among them. */
export async function movedAttempts(sql: Sql, actionId: string): Promise<number> {
  const [row] = await sql.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM action_attempts
     WHERE action_id = $1 AND phase = 'execute' AND outcome = 'rejected' AND http_status IS DISTINCT FROM 429`,
    [actionId],
  );
  return row?.n ?? 0;
}

/** The attempt whose outcome is unknown and has not been read back yet, with its age on the database's clock. */
export async function unknownAttempt(
  sql: Sql,
  actionId: string,
  phase: AttemptPhase,
): Promise<{ readonly id: string; readonly ageMs: number } | undefined> {
  const [row] = await sql.query<{ id: string; age_ms: number }>(
    `SELECT id, (extract(epoch FROM app_now() - started_at) * 1000)::float8 AS age_ms FROM action_attempts
     WHERE action_id = $1 AND phase = $2 AND outcome = 'unknown' AND readback IS NULL`,
    [actionId, phase],
  );
  return row === undefined ? undefined : { id: row.id, ageMs: Number(row.age_ms) };
}

export async function recordReadback(
  tx: Sql,
  id: string,
  readback: 'applied' | 'not_applied' | 'inconclusive',
  message: string,
): Promise<void> {
  await tx.execute(
    `UPDATE action_attempts SET readback = $2, readback_at = app_now(),
       response = coalesce(response, '{}'::jsonb) || jsonb_build_object('readback', $3::text) WHERE id = $1`,
    [id, readback, message],
  );
}

/** Closes a call that was read back as not applied, so that another one may be sent. */
export async function settleUnsent(tx: Sql, id: string): Promise<void> {
  await tx.execute(
    `UPDATE action_attempts SET outcome = 'failed' WHERE id = $1 AND phase IN ('removal', 'rollback') AND outcome = 'unknown'
       AND readback = 'not_applied'`,
    [id],
  );
}

/** The newest undo that was read back as not applied. */
export async function undoReadAsUnsent(sql: Sql, actionId: string): Promise<string | undefined> {
  const [row] = await sql.query<{ id: string }>(
    `SELECT id FROM action_attempts WHERE action_id = $1 AND phase = 'rollback' AND outcome = 'failed' AND readback = 'not_applied'
     ORDER BY n DESC LIMIT 1`,
    [actionId],
  );
  return row?.id;
}

/** Whether a call that failed so can have changed anything. Only a clear refusal, or a request that never left, is proof that it did not. */
export function outcomeOf(failure: KubeFailure): 'rejected' | 'failed' | 'unknown' {
  switch (failure.reason) {
    case 'forbidden':
    case 'unauthorized':
    case 'not-found':
    case 'conflict':
    case 'gone':
    case 'invalid':
    case 'too-many-requests':
      return 'rejected';
    case 'unsent':
      return 'failed';
    default:
      // A timeout, a cut connection, a 5xx or an answer that makes no sense: the write may have been stored.
      return 'unknown';
  }
}

/** Whether the call certainly changed nothing, and the server may take the same call a moment later. */
export function isNotNow(failure: KubeFailure): boolean {
  return failure.reason === 'too-many-requests' || failure.reason === 'unsent';
}

/** Whether trying the same harmless call again can help. */
export function isPassing(failure: KubeFailure): boolean {
  return outcomeOf(failure) !== 'rejected' || failure.reason === 'too-many-requests';
}

/** The value that the write insists on, where it tests one. */
export function testedValue(write: KubeWrite, path: string): string | null {
  if (write.verb === 'evict') return path === '/metadata/uid' ? write.preconditions.uid : null;
  if (write.verb === 'delete')
    return path === '/metadata/uid' ? write.preconditions.uid : (write.preconditions.resourceVersion ?? null);
  const test = write.patch.find((operation) => operation.op === 'test' && operation.path === path);
  return typeof test?.value === 'string' ? test.value : null;
}
