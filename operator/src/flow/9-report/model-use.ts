import type { Sql } from '@hephaisto/core/ports/database';
import type { ModelUse } from '@hephaisto/core/report/investigation';
import { facts, text } from './rows.ts';

export interface UseRow {
  readonly turn_id: string;
  readonly provider: string;
  readonly model: string;
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly cost: number;
  readonly latency: number | null;
  readonly under_way: boolean;
}

/** What the calls of an incident's turns have taken so far, by turn. */
export async function modelUsesOf(sql: Sql, incidentId: string): Promise<ReadonlyMap<string, UseRow>> {
  const rows = await sql.query<UseRow>(
    `SELECT u.turn_id, max(u.provider) AS provider, max(u.model) AS model, count(*)::int AS calls, sum(u.input_tokens)::int AS input,
            sum(u.output_tokens)::int AS output, sum(u.cache_read_tokens)::int AS cached,
            sum(CASE WHEN u.outcome = 'started' THEN u.reserved_usd ELSE u.cost_usd END)::float8 AS cost,
            (array_agg(u.first_byte_ms ORDER BY u.call_no DESC) FILTER (WHERE u.first_byte_ms IS NOT NULL))[1] AS latency,
            bool_or(u.outcome = 'started') AS under_way
       FROM llm_usage u JOIN turns t ON t.id = u.turn_id JOIN conversations c ON c.id = t.conversation_id
      WHERE c.incident_id = $1 GROUP BY u.turn_id`,
    [incidentId],
  );
  return new Map(rows.map((row) => [row.turn_id, row]));
}

/** The model's part of one look, as it stands: also while it is under way. Null for a look by rules alone. */
export function modelUse(
  row: { readonly turn_id: string | null; readonly model_note: unknown; readonly budget_usd: string },
  use: UseRow | undefined,
): ModelUse | null {
  if (row.turn_id === null) return null;
  const note = facts(row.model_note) ?? {};
  const budgetUsd = Number(row.budget_usd);
  const costUsd = use?.cost ?? 0;
  return {
    looked: note.looked === true,
    reason: text(note.reason) ?? 'under-way',
    message: text(note.message) ?? 'the model is looking',
    provider: use?.provider ?? text(note.provider),
    model: use?.model ?? text(note.model),
    calls: use?.calls ?? 0,
    inputTokens: use?.input ?? 0,
    outputTokens: use?.output ?? 0,
    cachedTokens: use?.cached ?? 0,
    costUsd,
    budgetUsd,
    budgetLeftUsd: Math.max(0, budgetUsd - costUsd),
    latencyMs: use?.latency ?? null,
    underWay: use?.under_way ?? false,
  };
}
