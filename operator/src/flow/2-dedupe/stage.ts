import { decideSignal } from '@hephaisto/core/dedupe/decide';
import { isUniqueViolation } from '@hephaisto/core/ports/database';
import type { Sha256Hex } from '@hephaisto/core/signal/fingerprint';
import type { Stage, StageDeps } from '../stage.ts';
import { commitDecision } from './commit.ts';
import { gatherFacts } from './gather.ts';
import { claimSignal, lockCluster, type PendingSignal, pendingSignals } from './pending-rows.ts';

/** Milliseconds and counts, as configured. */
export interface DedupeConfig {
  readonly burst: number;
  readonly correlation: number;
  readonly recurrence: number;
  readonly stormWindow: number;
  readonly stormLimit: number;
  readonly stormCriticalReserve: number;
}

/** Signals settled in one transaction: few enough that a refused one costs little, many enough that five thousand alerts are quick. */
const BATCH = 50;

/** Settles pending signals: each joins an open incident, opens one, or is kept with the reason why it does neither. */
export function createDedupeStage(deps: StageDeps & { readonly sha256: Sha256Hex }, config: DedupeConfig): Stage {
  const limits = { limit: config.stormLimit, criticalReserve: config.stormCriticalReserve };

  async function settle(batch: readonly PendingSignal[]): Promise<number> {
    const results = await deps.db.transaction(async (tx) => {
      const settled: string[] = [];
      for (const cluster of [...new Set(batch.map((row) => row.cluster))].sort()) await lockCluster(tx, cluster);
      for (const row of batch) {
        const signal = await claimSignal(tx, row.id);
        if (signal === undefined) continue;
        const facts = await gatherFacts(tx, signal, config, deps.sha256);
        const decision = decideSignal(facts, limits);
        await commitDecision(tx, deps, signal, decision, config);
        settled.push(decision.kind === 'settle' ? decision.disposition : decision.kind);
      }
      return settled;
    });
    await deps.faults.hit('dedupe:settled');
    for (const result of results) deps.metrics.count('dedup_total', { result });
    return results.length;
  }

  async function settleOneByOne(batch: readonly PendingSignal[]): Promise<number> {
    let moved = 0;
    for (const row of batch) {
      try {
        moved += await settle([row]);
      } catch (error: unknown) {
        // Somebody else opened the incident meanwhile; the next pass finds it and joins.
        if (!isUniqueViolation(error)) throw error;
        deps.log.info('an incident was opened by another replica first', { signal: row.id });
        moved += 1;
      }
    }
    return moved;
  }

  return {
    name: 'dedupe',
    pollMs: 1_000,
    async pass() {
      const batch = await pendingSignals(deps.db, BATCH);
      if (batch.length === 0) return 0;
      try {
        return await settle(batch);
      } catch (error: unknown) {
        if (isUnavailable(error)) throw error;
        // One signal that cannot be settled must not hold up the others.
        deps.log.warn('signals could not be settled together', { signals: batch.length, error });
        return await settleOneByOne(batch);
      }
    },
  };
}

function isUnavailable(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'tag' in error && error.tag === 'StoreUnavailable';
}
