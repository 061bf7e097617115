import { createHash } from 'node:crypto';
import { headIdentity, type PromptHead } from '@hephaisto/core/model/head';
import type { ToolDefinition } from '@hephaisto/core/model/message';
import type { Sql } from '@hephaisto/core/ports/database';
import type { Lease } from '@hephaisto/core/ports/leases';
import { cleanJsonText } from '@hephaisto/core/signal/clean-text';

/** Head and palette of a conversation: frozen for a turn, composed anew from the configuration for the next. */
export interface TurnSeat {
  readonly head: PromptHead;
  readonly tools: readonly ToolDefinition[];
  /** What is frozen beside them: model, price, budgets. Holds no key. */
  readonly admission: Readonly<Record<string, unknown>>;
}

export interface NewTurn {
  readonly id: string;
  readonly conversationId: string;
  readonly cluster: string;
  readonly incidentId: string;
  readonly kind: 'investigation' | 'planner';
  /** Asking twice for the same makes one turn. */
  readonly requestId: string;
  readonly submittedBy: string;
}

/** Admits a turn, in the conversation that the incident has with this seat. Returns the id of the turn, new or there already. */
export async function openTurn(tx: Sql, turn: NewTurn): Promise<string> {
  await tx.execute(
    `INSERT INTO conversations (id, cluster, kind, incident_id) VALUES ($1, $2, $3, $4)
     ON CONFLICT (cluster, incident_id, kind) WHERE kind IN ('incident', 'investigation', 'planner') DO NOTHING`,
    [turn.conversationId, turn.cluster, turn.kind, turn.incidentId],
  );
  const [conversation] = await tx.query<{ id: string; seq: number }>(
    `UPDATE conversations SET next_seq = next_seq + 1 WHERE cluster = $1 AND incident_id = $2 AND kind = $3
     RETURNING id, next_seq - 1 AS seq`,
    [turn.cluster, turn.incidentId, turn.kind],
  );
  if (conversation === undefined) throw new Error('expected the conversation that was just made, found none');
  await tx.execute(
    `INSERT INTO turns (id, cluster, conversation_id, kind, request_id, submitted_by, question_seq, status)
     VALUES ($1, $2, $3, $4, $5, $6, $7, 'QUEUED') ON CONFLICT (conversation_id, request_id) DO NOTHING`,
    [turn.id, turn.cluster, conversation.id, turn.kind, turn.requestId, turn.submittedBy, conversation.seq],
  );
  const [row] = await tx.query<{ id: string }>('SELECT id FROM turns WHERE conversation_id = $1 AND request_id = $2', [
    conversation.id,
    turn.requestId,
  ]);
  return row?.id ?? turn.id;
}

/**
 * Lets a turn run under the caller's lease. A turn that has run before keeps the head with which it began. Throws when the turn is over.
 */
export async function startTurn(
  tx: Sql,
  turnId: string,
  seat: TurnSeat,
  lease: Lease,
  deadlineMs: number,
): Promise<Pick<TurnSeat, 'head' | 'tools'>> {
  const frozen = await frozenHead(tx, turnId);
  const identity = frozen ?? headIdentity(seat.head, seat.tools);
  const sha256 = createHash('sha256').update(identity).digest('hex');
  if (frozen === undefined) {
    await tx.execute(
      `INSERT INTO prompt_heads (sha256, seat, slots, content, bytes) SELECT $1, kind, $3::jsonb, $4, $5 FROM turns WHERE id = $2
       ON CONFLICT (sha256) DO NOTHING`,
      [sha256, turnId, JSON.stringify(seat.head.slots), identity, Buffer.byteLength(identity)],
    );
  }
  const started = await tx.execute(
    `UPDATE turns SET status = 'RUNNING', attempt = attempt + 1, run_id = $2, epoch = $3, head_sha256 = $4,
       admission = coalesce(admission, $5::jsonb), started_at = coalesce(started_at, app_now()),
       deadline_at = app_now() + $6 * interval '1 millisecond'
     WHERE id = $1 AND status IN ('QUEUED', 'RUNNING')`,
    [turnId, lease.runId, lease.epoch, sha256, JSON.stringify(seat.admission), deadlineMs],
  );
  if (started !== 1) throw new Error(`expected turn \`${turnId}\` to be waiting, found it over or gone`);
  // Our own text, written by `headIdentity`.
  const { slots, tools } = JSON.parse(identity) as { slots: PromptHead['slots']; tools: readonly ToolDefinition[] };
  return { head: { slots }, tools };
}

async function frozenHead(tx: Sql, turnId: string): Promise<string | undefined> {
  const [row] = await tx.query<{ content: string }>(
    'SELECT h.content FROM turns t JOIN prompt_heads h ON h.sha256 = t.head_sha256 WHERE t.id = $1',
    [turnId],
  );
  return row?.content;
}

export interface TurnEnd {
  readonly status: 'DONE' | 'FAILED' | 'STOPPED';
  readonly reason: string;
  readonly outcome?: unknown;
}

/** Ends a turn once; one that is over stays as it is. */
export async function endTurn(tx: Sql, turnId: string, end: TurnEnd): Promise<void> {
  await tx.execute(
    `UPDATE turns SET status = $2, end_reason = $3, outcome = $4::jsonb, ended_at = app_now()
     WHERE id = $1 AND status IN ('QUEUED', 'RUNNING')`,
    [turnId, end.status, end.reason, end.outcome === undefined ? null : cleanJsonText(end.outcome)],
  );
}

/** Puts a turn whose owner died back to where another may take it up. */
export async function requeueTurn(tx: Sql, turnId: string): Promise<void> {
  await tx.execute(`UPDATE turns SET status = 'QUEUED' WHERE id = $1 AND status = 'RUNNING'`, [turnId]);
}
