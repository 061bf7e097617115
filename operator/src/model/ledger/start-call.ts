import { judgeSpend, type SpendFacts, type SpendLimits, type SpendVerdict } from '@hephaisto/core/model/budget';
import type { Price } from '@hephaisto/core/model/price';
import type { Sql } from '@hephaisto/core/ports/database';
import type { ModelIdentity } from '@hephaisto/core/ports/model';
import { InvestigationStopped } from '../../investigate/end.ts';
import type { CallStart } from '../call-ledger.ts';

export const HOUR_BUDGET = 'model_usd_hour';
export const DAY_BUDGET = 'model_usd_day';

export interface StartRow {
  readonly usageId: string;
  readonly call: CallStart;
  readonly identity: ModelIdentity;
  readonly price: Price;
  readonly reservation: number;
  readonly sent: Uint8Array;
  readonly sentSha256: string;
}

/**
 * Locks what all calls share, judges this one against it, and writes its row with the bytes that are about to leave. The locks make two calls
 * at the same moment see each other.
 */
export async function startCall(tx: Sql, row: StartRow, limits: SpendLimits, heldBack: number): Promise<SpendVerdict> {
  await tx.query('SELECT 1 FROM budgets WHERE name IN ($1, $2) ORDER BY name FOR UPDATE', [DAY_BUDGET, HOUR_BUDGET]);
  const facts = await spendFacts(tx, row, heldBack);
  const verdict = judgeSpend(facts, limits);
  if (verdict.kind === 'refused') return verdict;
  await insertRows(tx, row);
  return verdict;
}

const SPEND = `CASE WHEN outcome = 'started' THEN reserved_usd ELSE cost_usd END`;
const SPENT = `coalesce(sum(${SPEND}), 0)::float8`;

async function spendFacts(tx: Sql, row: StartRow, heldBack: number): Promise<SpendFacts> {
  const { turn, purpose } = row.call;
  const [turnRow] = await tx.query<{ status: string; model_calls: number }>(
    'SELECT status, model_calls FROM turns WHERE id = $1 FOR UPDATE',
    [turn.turnId],
  );
  // Stopped between two calls: nothing more may leave.
  if (turnRow?.status !== 'RUNNING') throw new InvestigationStopped(`with its turn ${turnRow?.status ?? 'gone'}`);
  // The moment is asked for once: compared as a function it would be called for every row, and no index could serve it.
  const [spent] = await tx.query<{ turn: number; hour: number; day: number }>(
    `SELECT (SELECT ${SPENT} FROM llm_usage WHERE turn_id = $1) AS turn, coalesce(w.hour, 0)::float8 AS hour, coalesce(w.day, 0)::float8 AS day
       FROM (SELECT sum(${SPEND}) FILTER (WHERE started_at > (SELECT app_now() - interval '1 hour')) AS hour, sum(${SPEND}) AS day
               FROM llm_usage WHERE started_at > (SELECT app_now() - interval '1 day') AND billing = 'metered') w`,
    [turn.turnId],
  );
  return {
    reservation: row.reservation,
    heldBack: purpose === 'turn' ? heldBack : 0,
    turnSpent: spent?.turn ?? 0,
    hourSpent: spent?.hour ?? 0,
    daySpent: spent?.day ?? 0,
    // The concluding call was held back for: it is not one of the counted ones.
    turnCalls: purpose === 'grace' ? 0 : turnRow.model_calls,
  };
}

/** Counts the call, and writes its row and its bytes: one statement, since each takes a turn of the database. */
async function insertRows(tx: Sql, row: StartRow): Promise<void> {
  const { call, identity } = row;
  const { turn } = call;
  await tx.execute(
    `WITH counted AS (UPDATE turns SET model_calls = model_calls + 1 WHERE id = $2 RETURNING model_calls),
       started AS (
         INSERT INTO llm_usage (id, turn_id, investigation_id, attempt, run_id, epoch, call_no, purpose, provider, model, host, price,
           reserved_usd, billing, outcome)
         SELECT $1, $2, $3, $4, $5, $6, model_calls, $7, $8, $9, $10, $11::jsonb, $12, 'metered', 'started' FROM counted RETURNING id)
     INSERT INTO model_exchanges (usage_id, appended, sent, sent_bytes, sent_sha256) SELECT id, $13, $14, $15, $16 FROM started`,
    [
      row.usageId,
      turn.turnId,
      turn.investigationId,
      turn.attempt,
      turn.lease.runId,
      turn.lease.epoch,
      call.purpose,
      identity.provider,
      identity.model,
      identity.host,
      JSON.stringify(row.price),
      row.reservation,
      JSON.stringify(call.appended),
      row.sent,
      call.body.length,
      row.sentSha256,
    ],
  );
}
