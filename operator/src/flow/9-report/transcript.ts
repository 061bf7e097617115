import type { Sql } from '@hephaisto/core/ports/database';
import type { Transcript, TranscriptCall, TranscriptTurn } from '@hephaisto/core/report/transcript';
import { grouped } from './investigations.ts';
import { facts, iso, list, text } from './rows.ts';

/** Undoes the compression of what was kept; given, since a report reads rows and nothing else. */
export type Inflate = (bytes: Uint8Array) => string;

interface TurnRow {
  readonly id: string;
  readonly kind: string;
  readonly status: string;
  readonly end_reason: string | null;
  readonly attempt: number;
  readonly content: string | null;
}

interface CallRow {
  readonly id: string;
  readonly turn_id: string;
  readonly call_no: number;
  readonly purpose: string;
  readonly provider: string;
  readonly model: string;
  readonly host: string;
  readonly outcome: string;
  readonly error_kind: string | null;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly first_byte_ms: number | null;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cost_usd: string;
  readonly answer: string | null;
  readonly sent: Uint8Array | null;
  readonly sent_bytes: number | null;
  readonly sent_sha256: string | null;
}

/** Everything of an incident that left for a model, in order, with what came back. */
export async function readTranscript(sql: Sql, incidentId: string, inflate: Inflate): Promise<Transcript> {
  const turns = await sql.query<TurnRow>(
    `SELECT t.id, t.kind, t.status, t.end_reason, t.attempt, h.content
       FROM turns t JOIN conversations c ON c.id = t.conversation_id LEFT JOIN prompt_heads h ON h.sha256 = t.head_sha256
      WHERE c.incident_id = $1 ORDER BY t.created_at, t.id`,
    [incidentId],
  );
  const calls = await sql.query<CallRow>(
    `SELECT u.*, e.answer, CASE WHEN e.expires_at > app_now() THEN e.sent END AS sent, e.sent_bytes, e.sent_sha256
       FROM llm_usage u JOIN turns t ON t.id = u.turn_id JOIN conversations c ON c.id = t.conversation_id
       LEFT JOIN model_exchanges e ON e.usage_id = u.id
      WHERE c.incident_id = $1 ORDER BY u.turn_id, u.call_no`,
    [incidentId],
  );
  const readBy = await sql.query<{ actor: string; at: Date }>(
    `SELECT actor, at FROM audit_log WHERE subject_kind = 'transcript' AND subject_id = $1 ORDER BY id DESC LIMIT 100`,
    [incidentId],
  );
  const byTurn = grouped(
    calls,
    (row) => row.turn_id,
    (row) => callOf(row, inflate),
  );
  return {
    incidentId,
    turns: turns.map((row) => turnOf(row, byTurn.get(row.id) ?? [])),
    bytesSent: calls.reduce((sum, row) => sum + (row.sent_bytes ?? 0), 0),
    costUsd: calls.reduce((sum, row) => sum + Number(row.cost_usd), 0),
    readBy: readBy.map(({ actor, at }) => ({ actor, at: iso(at) })),
  };
}

function turnOf(row: TurnRow, calls: TranscriptCall[]): TranscriptTurn {
  const head = facts(row.content === null ? null : JSON.parse(row.content)) ?? {};
  const slots = list(head.slots).map((slot) => text(facts(slot)?.text) ?? '');
  return {
    id: row.id,
    kind: row.kind,
    status: row.status,
    endReason: row.end_reason,
    attempts: row.attempt,
    head: row.content === null ? null : slots.join('\n\n'),
    tools: list(head.tools).map((tool) => text(facts(tool)?.name) ?? ''),
    calls,
  };
}

function callOf(row: CallRow, inflate: Inflate): TranscriptCall {
  const body = row.sent === null ? null : inflate(row.sent);
  return {
    id: row.id,
    callNo: row.call_no,
    purpose: row.purpose,
    recipient: { provider: row.provider, model: row.model, host: row.host },
    outcome: row.outcome,
    errorKind: row.error_kind,
    startedAt: iso(row.started_at),
    endedAt: row.ended_at === null ? null : iso(row.ended_at),
    firstByteMs: row.first_byte_ms,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cachedTokens: row.cache_read_tokens,
    costUsd: Number(row.cost_usd),
    sent: {
      bytes: row.sent_bytes,
      sha256: row.sent_sha256,
      body,
      redactions: body?.match(/\[redacted(?::\d+)?\]/g)?.length ?? 0,
    },
    said: saidIn(row.answer),
  };
}

/** Words and calls of an answer. Thinking goes back to its provider and is shown to nobody. */
function saidIn(answer: string | null): TranscriptCall['said'] {
  if (answer === null) return [];
  const message = facts(JSON.parse(answer)) ?? {};
  return list(message.blocks).flatMap((item): TranscriptCall['said'] => {
    const block = facts(item) ?? {};
    if (block.kind === 'text') return [{ kind: 'text', name: null, text: text(block.text) ?? '' }];
    if (block.kind === 'tool-call') return [{ kind: 'tool-call', name: text(block.name), text: text(block.raw) ?? '' }];
    return [];
  });
}
