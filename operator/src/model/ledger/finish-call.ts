import type { ModelMessage } from '@hephaisto/core/model/message';
import type { Sql } from '@hephaisto/core/ports/database';
import { cleanJsonText } from '@hephaisto/core/signal/clean-text';
import type { CallEnd } from '../call-ledger.ts';

/** Completes a call that is under way, once, and books what it cost on the investigation: one statement, as it was begun. */
export async function finishCall(tx: Sql, end: CallEnd, costUsd: number): Promise<void> {
  const { usage } = end;
  const message: ModelMessage | undefined = end.answer && { role: 'assistant', blocks: end.answer.blocks };
  const [found] = await tx.query<{ ended: number }>(
    `WITH ended AS (
       UPDATE llm_usage SET outcome = $2, error_kind = $3, http_status = $4, first_byte_ms = $5, input_tokens = $6, output_tokens = $7,
         reasoning_tokens = $8, cache_read_tokens = $9, cache_write_tokens = $10, cost_usd = $11, ended_at = app_now()
       WHERE id = $1 AND outcome = 'started' RETURNING id),
     booked AS (UPDATE investigations SET cost_usd = cost_usd + $11 WHERE id = $12),
     kept AS (UPDATE model_exchanges SET answer = $13 WHERE usage_id = $1 AND $13::text IS NOT NULL)
     SELECT count(*)::int AS ended FROM ended`,
    [
      end.usageId,
      end.outcome,
      end.errorKind ?? null,
      end.httpStatus ?? null,
      end.firstByteMs ?? null,
      usage.input,
      usage.output,
      usage.reasoning,
      usage.cacheRead,
      usage.cacheWrite,
      costUsd,
      end.turn.investigationId,
      message === undefined ? null : cleanJsonText(message),
    ],
  );
  if (found?.ended !== 1) throw new Error(`expected call \`${end.usageId}\` to be under way, found it ended or gone`);
}
