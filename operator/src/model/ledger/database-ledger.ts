import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { SpendLimits } from '@hephaisto/core/model/budget';
import { costOf, type Price, reservationOf } from '@hephaisto/core/model/price';
import { tokensOfBytes } from '@hephaisto/core/model/tokens';
import type { Ids } from '@hephaisto/core/ports/clock';
import type { Database } from '@hephaisto/core/ports/database';
import type { FaultPoints } from '@hephaisto/core/ports/fault-points';
import type { RequireEpoch } from '@hephaisto/core/ports/leases';
import type { CallPurpose, ModelIdentity } from '@hephaisto/core/ports/model';
import type { CallLedger } from '../call-ledger.ts';
import { finishCall } from './finish-call.ts';
import { setRunawayLatch } from './latch.ts';
import { readJournal } from './read-journal.ts';
import { DAY_BUDGET, HOUR_BUDGET, startCall } from './start-call.ts';

export interface LedgerDeps {
  readonly db: Database;
  readonly ids: Ids;
  readonly faults: FaultPoints;
  readonly requireEpoch: RequireEpoch;
}

export interface LedgerOptions {
  readonly identity: ModelIdentity;
  readonly price: Price;
  /** Limits of an investigation's calls, and of a plan's. */
  readonly limits: SpendLimits;
  readonly planUsd: number;
}

/** The rows of calls in the database. */
export function createCallLedger(deps: LedgerDeps, options: LedgerOptions): CallLedger {
  const { identity, price } = options;
  const limitsFor = (purpose: CallPurpose): SpendLimits =>
    purpose === 'plan' ? { ...options.limits, perTurn: options.planUsd } : options.limits;
  return {
    async start(call) {
      const inputEstimate = tokensOfBytes(call.body.length);
      const reservation = reservationOf(inputEstimate, call.maxOutputTokens, price);
      const usageId = deps.ids.uuid();
      const row = {
        usageId,
        call,
        identity,
        price,
        reservation,
        sent: gzipSync(call.body, { level: 1 }),
        sentSha256: createHash('sha256').update(call.body).digest('hex'),
      };
      const verdict = await deps.db.transaction(async (tx) => {
        await deps.requireEpoch(tx, call.turn.lease);
        const judged = await startCall(tx, row, limitsFor(call.purpose), reservation);
        if (judged.kind === 'refused' && judged.latch) await setRunawayLatch(tx, judged.message);
        return judged;
      });
      await deps.faults.hit('model:call-started');
      return verdict.kind === 'allowed' ? { kind: 'started', usageId, inputEstimate } : verdict;
    },
    async finish(end) {
      const cost = costOf(end.usage, price);
      await deps.faults.hit('model:answer-heard');
      await deps.db.transaction(async (tx) => {
        await deps.requireEpoch(tx, end.turn.lease);
        await finishCall(tx, end, cost);
      });
      await deps.faults.hit('model:call-finished');
      return cost;
    },
    journal: (turnId) => readJournal(deps.db, turnId),
  };
}

/** Writes the limits that calls lock on. */
export async function syncModelBudgets(db: Database, limits: SpendLimits): Promise<void> {
  const rows = [
    [DAY_BUDGET, 86_400, limits.perDay],
    [HOUR_BUDGET, 3_600, limits.perHour],
  ] as const;
  for (const [name, window, limit] of rows)
    await db.execute(
      `INSERT INTO budgets (name, unit, window_seconds, limit_value, on_exceed) VALUES ($1, 'usd', $2, $3, 'refuse')
       ON CONFLICT (name) DO UPDATE SET window_seconds = excluded.window_seconds, limit_value = excluded.limit_value`,
      [name, window, limit],
    );
}
