import type { ModelMessage } from '@hephaisto/core/model/message';
import type { Sql } from '@hephaisto/core/ports/database';
import type { JournaledCall } from '@hephaisto/core/ports/model';

/** The calls of a turn that were answered, in their order. */
export async function readJournal(sql: Sql, turnId: string): Promise<readonly JournaledCall[]> {
  const rows = await sql.query<{ appended: string; answer: string }>(
    `SELECT e.appended, e.answer FROM model_exchanges e JOIN llm_usage u ON u.id = e.usage_id
      WHERE u.turn_id = $1 AND u.outcome = 'ok' AND e.answer IS NOT NULL ORDER BY u.call_no`,
    [turnId],
  );
  // Our own rows, written from these very types.
  return rows.map((row) => ({
    appended: JSON.parse(row.appended) as readonly ModelMessage[],
    answer: JSON.parse(row.answer) as ModelMessage,
  }));
}
