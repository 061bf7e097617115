import type { ModelMessage } from '@hephaisto/core/model/message';
import type { Sql } from '@hephaisto/core/ports/database';
import type { CallEnd } from '../call-ledger.ts';

/** Completes a call that is under way, once, and books what it cost on the investigation. */
export async function finishCall(tx: Sql, end: CallEnd, costUsd: number): Promise<void> {
  const { usage } = end;
  const changed = await tx.execute(
    `UPDATE llm_usage SET outcome = $2, error_kind = $3, http_status = $4, first_byte_ms = $5, input_tokens = $6, output_tokens = $7,
       reasoning_tokens = $8, cache_read_tokens = $9, cache_write_tokens = $10, cost_usd = $11, ended_at = app_now()
     WHERE id = $1 AND outcome = 'started'`,
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
    ],
  );
  if (changed !== 1) throw new Error(`expected call \`${end.usageId}\` to be under way, found it ended or gone`);
  await tx.execute('UPDATE investigations SET cost_usd = cost_usd + $2 WHERE id = $1', [
    end.turn.investigationId,
    costUsd,
  ]);
  if (end.answer === undefined) return;
  const message: ModelMessage = { role: 'assistant', blocks: end.answer.blocks };
  await tx.execute('UPDATE model_exchanges SET answer = $2 WHERE usage_id = $1', [
    end.usageId,
    JSON.stringify(message),
  ]);
}
