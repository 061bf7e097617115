import type { InvestigationState } from '@hephaisto/core/investigation/investigator';
import type { Sql } from '@hephaisto/core/ports/database';
import type { ModelUse, PlannerUse } from '@hephaisto/core/report/investigation';
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
  readonly longest: number | null;
  readonly under_way: boolean;
}

/** What the calls of an incident's turns have taken so far, by turn. */
export async function modelUsesOf(sql: Sql, incidentId: string): Promise<ReadonlyMap<string, UseRow>> {
  const rows = await sql.query<UseRow>(
    `SELECT u.turn_id, max(u.provider) AS provider, max(u.model) AS model, count(*)::int AS calls, sum(u.input_tokens)::int AS input,
            sum(u.output_tokens)::int AS output, sum(u.cache_read_tokens)::int AS cached,
            sum(CASE WHEN u.outcome = 'started' THEN u.reserved_usd ELSE u.cost_usd END)::float8 AS cost,
            (array_agg(u.first_byte_ms ORDER BY u.call_no DESC) FILTER (WHERE u.first_byte_ms IS NOT NULL))[1] AS latency,
            (max(extract(epoch FROM u.ended_at - u.started_at)) FILTER (WHERE u.outcome IN ('ok', 'truncated')) * 1000)::int AS longest,
            bool_or(u.outcome = 'started') AS under_way
       FROM llm_usage u JOIN turns t ON t.id = u.turn_id JOIN conversations c ON c.id = t.conversation_id
      WHERE c.incident_id = $1 GROUP BY u.turn_id`,
    [incidentId],
  );
  return new Map(rows.map((row) => [row.turn_id, row]));
}

export interface LookRow {
  readonly turn_id: string | null;
  readonly state: InvestigationState;
  readonly model_note: unknown;
  readonly budget_usd: string;
}

type Said = Pick<ModelUse, 'looked' | 'reason' | 'message'>;

/** The model's part of one look, as it stands: also while it is under way. */
export function modelUse(row: LookRow, use: UseRow | undefined): ModelUse {
  const note = facts(row.model_note) ?? {};
  const budgetUsd = Number(row.budget_usd);
  const spent = spendOf(use);
  const said: Said =
    row.turn_id === null
      ? NOT_CONFIGURED
      : row.model_note === null
        ? withoutNote(row.state, use)
        : { looked: note.looked === true, reason: text(note.reason) ?? '', message: text(note.message) ?? '' };
  return {
    ...said,
    ...spent,
    provider: spent.provider ?? text(note.provider),
    model: spent.model ?? text(note.model),
    budgetUsd,
    budgetLeftUsd: Math.max(0, budgetUsd - spent.costUsd),
    longestCallMs: use?.longest ?? null,
    underWay: use?.under_way ?? false,
  };
}

/** What a turn's calls took; nothing where none was made. */
export function spendOf(use: UseRow | undefined): PlannerUse {
  return {
    provider: use?.provider ?? null,
    model: use?.model ?? null,
    calls: use?.calls ?? 0,
    inputTokens: use?.input ?? 0,
    outputTokens: use?.output ?? 0,
    cachedTokens: use?.cached ?? 0,
    costUsd: use?.cost ?? 0,
    latencyMs: use?.latency ?? null,
  };
}

const NOT_CONFIGURED: Said = {
  looked: false,
  reason: 'not-configured',
  message: 'no model is configured; the rules looked alone',
};

function withoutNote(state: InvestigationState, use: UseRow | undefined): Said {
  const said = WITHOUT_NOTE[state];
  return state === 'Running' && use !== undefined
    ? { ...said, message: 'the rules have looked, now the model does' }
    : said;
}

/** A look whose model has left no word: not there yet, or never to come. */
const WITHOUT_NOTE: Readonly<Record<InvestigationState, Said>> = {
  Queued: { looked: false, reason: 'waiting', message: 'a model looks once the rules have' },
  Running: { looked: false, reason: 'under-way', message: 'the rules look first, then a model' },
  Concluded: NOT_CONFIGURED,
  NoConclusion: { looked: false, reason: 'no-access', message: 'nothing could be read, so no model was asked' },
  BudgetExhausted: {
    looked: false,
    reason: 'over-budget',
    message: 'the look’s reads or time were used up before a model was asked',
  },
  Faulted: {
    looked: false,
    reason: 'owner-lost',
    message: 'this attempt was lost with its process; the next goes on where it stood',
  },
  Stopped: { looked: false, reason: 'stopped', message: 'the look was stopped before a model had concluded' },
};
