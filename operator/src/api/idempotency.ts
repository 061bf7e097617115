import { createHash } from 'node:crypto';
import type { Database } from '@hephaisto/core/ports/database';
import { ApiProblem } from './problem.ts';

/** What a write answered, kept so that the same request again gives the same answer. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface IdempotentRequest {
  readonly principal: string;
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** A first request that has not answered for so long died with its process; the next one takes over. */
const ABANDONED_AFTER = `interval '2 minutes'`;

/**
 * Runs the work once for a key. The same key with the same request gives the stored answer; with another request it is refused, since one
 * of the two must be a mistake. Answers that blame us (5xx) are not kept: repeating those is the point of a retry. Nor is a version that was
 * overtaken (412): the sender reads again, and what it then sends is the same request.
 */
export async function onceForKey(
  db: Database,
  request: IdempotentRequest,
  work: () => Promise<Answer>,
): Promise<{ readonly answer: Answer; readonly replayed: boolean }> {
  const digest = createHash('sha256')
    .update(JSON.stringify([request.method, request.path, request.body ?? null]))
    .digest('hex');
  const claimed = await db.execute(
    `INSERT INTO idempotency_keys (principal, key, request_sha256) VALUES ($1, $2, $3)
     ON CONFLICT (principal, key) DO UPDATE SET created_at = app_now()
       WHERE idempotency_keys.status IS NULL AND idempotency_keys.request_sha256 = EXCLUDED.request_sha256
         AND idempotency_keys.created_at < app_now() - ${ABANDONED_AFTER}`,
    [request.principal, request.key, digest],
  );
  if (claimed === 0) return { answer: await storedAnswer(db, request, digest), replayed: true };
  try {
    const answer = await work();
    await settle(db, request, answer);
    return { answer, replayed: false };
  } catch (error: unknown) {
    await forget(db, request);
    throw error;
  }
}

async function storedAnswer(db: Database, request: IdempotentRequest, digest: string): Promise<Answer> {
  const rows = await db.query<{ request_sha256: string; status: number | null; body: unknown }>(
    'SELECT request_sha256, status, body FROM idempotency_keys WHERE principal = $1 AND key = $2',
    [request.principal, request.key],
  );
  const row = rows[0];
  if (row !== undefined && row.request_sha256 !== digest)
    throw new ApiProblem(
      'idempotency-key-reused',
      'expected the request that this Idempotency-Key was first sent with, found another',
    );
  if (row === undefined || row.status === null)
    throw new ApiProblem(
      'request-in-progress',
      'the first request with this Idempotency-Key has not answered yet; ask again',
      {
        headers: { 'retry-after': '1' },
      },
    );
  return { status: row.status, body: row.body };
}

async function settle(db: Database, request: IdempotentRequest, answer: Answer): Promise<void> {
  if (answer.status >= 500 || answer.status === 412) return forget(db, request);
  await db.execute('UPDATE idempotency_keys SET status = $3, body = $4::jsonb WHERE principal = $1 AND key = $2', [
    request.principal,
    request.key,
    answer.status,
    JSON.stringify(answer.body ?? null),
  ]);
}

async function forget(db: Database, request: IdempotentRequest): Promise<void> {
  await db.execute('DELETE FROM idempotency_keys WHERE principal = $1 AND key = $2', [request.principal, request.key]);
}
