import { decideSignal } from '@hephaisto/core/dedupe/decide';
import { isUniqueViolation, type Sql, StoreUnavailable } from '@hephaisto/core/ports/database';
import type { Sha256Hex } from '@hephaisto/core/signal/fingerprint';
import type { Stage, StageDeps } from '../stage.ts';
import { startBudget } from '../transaction-budget.ts';
import { absorbPodIncidents } from './absorb.ts';
import { carryOut, type Settled, writeSettled } from './commit.ts';
import { gatherFacts } from './gather.ts';
import { claimSignals, lockCluster, type PendingSignal, pendingSignals, type SignalRow } from './pending-rows.ts';
import { isRefusedForGood, setAside } from './set-aside.ts';

/** Milliseconds and counts, as configured. */
export interface DedupeConfig {
  readonly burst: number;
  readonly correlation: number;
  readonly recurrence: number;
  readonly stormWindow: number;
  readonly stormLimit: number;
  readonly stormCriticalReserve: number;
}

/** Signals taken at once: few enough that a refused one costs little, many enough that five thousand alerts are quick. */
const BATCH_SIZE = 200;
/** Signals whose facts are read at once, to begin with. An incident that opens makes the facts of all behind it stale. */
const FIRST_WINDOW = 8;

/** Settles pending signals: each joins an open incident, opens one, or is kept with the reason why it does neither. */
export function createDedupeStage(deps: StageDeps & { readonly sha256: Sha256Hex }, config: DedupeConfig): Stage {
  const limits = { limit: config.stormLimit, criticalReserve: config.stormCriticalReserve };

  /** Decides in order until one opens an incident, which the facts of those behind it do not know of. Returns how many were settled. */
  async function settleSome(tx: Sql, rows: readonly SignalRow[]): Promise<readonly Settled[]> {
    const facts = await gatherFacts(tx, rows, config, deps.sha256);
    const settled: Settled[] = [];
    for (const signal of rows) {
      const known = facts.get(signal.id);
      if (known === undefined) break;
      const decision = decideSignal(known, limits);
      settled.push(await carryOut(tx, deps, signal, decision));
      if (decision.kind === 'open' || (decision.kind === 'storm' && decision.incidentId === undefined)) break;
    }
    await writeSettled(tx, settled);
    const last = settled.at(-1);
    if (last?.disposition === 'opened' && last.signal.kind === 'NodePressure' && last.signal.node_name !== null) {
      const node = { cluster: last.signal.cluster, node_name: last.signal.node_name };
      await absorbPodIncidents(tx, deps.incidents, node, last.incidentId ?? '', config.correlation);
    }
    return settled;
  }

  /**
   * Reads facts for as many signals as were settled without an opening the last time, and for twice as many when none opened: reading them
   * for all that wait, again after each opening, costs the square of their number. Stops when the transaction has lasted long enough.
   */
  async function settleInWindows(tx: Sql, rows: readonly SignalRow[]): Promise<readonly Settled[]> {
    const budget = startBudget(deps.clock);
    const all: Settled[] = [];
    let window = FIRST_WINDOW;
    while (all.length < rows.length && (all.length === 0 || !budget.isSpent())) {
      const asked = rows.slice(all.length, all.length + window);
      const settled = await settleSome(tx, asked);
      all.push(...settled);
      window = settled.length < asked.length ? settled.length : window * 2;
    }
    return all;
  }

  /** One span a batch, linked to the trace of each delivery in it. */
  function settle(batch: readonly PendingSignal[]): Promise<number> {
    const links = batch.flatMap(({ traceparent }) => traceparent ?? []);
    return deps.tracer.span('hephaisto.dedupe', { 'hephaisto.signals': batch.length }, () => settleAll(batch), {
      links,
    });
  }

  async function settleAll(batch: readonly PendingSignal[]): Promise<number> {
    const settled = await deps.db.transaction(async (tx) => {
      for (const cluster of [...new Set(batch.map((row) => row.cluster))].sort()) await lockCluster(tx, cluster);
      const rows = await claimSignals(
        tx,
        batch.map((row) => row.id),
      );
      return settleInWindows(tx, rows);
    });
    await deps.faults.hit('dedupe:settled');
    for (const { disposition } of settled) deps.metrics.count('dedup_total', { result: disposition });
    return settled.length;
  }

  async function settleOneByOne(batch: readonly PendingSignal[]): Promise<number> {
    let moved = 0;
    const unexplained: unknown[] = [];
    for (const row of batch) {
      try {
        moved += await settle([row]);
      } catch (error: unknown) {
        if (error instanceof StoreUnavailable) throw error;
        if (isUniqueViolation(error)) {
          // Somebody else opened the incident meanwhile; the next pass finds it and joins.
          deps.log.info('an incident was opened by another replica first', { signal: row.id });
        } else if (isRefusedForGood(error)) {
          await setAside(deps, row.id, error);
          deps.log.error('a signal was set aside since it cannot be settled', { signal: row.id, error });
          deps.metrics.count('dedup_total', { result: 'poison' });
        } else {
          unexplained.push(error);
          continue;
        }
        moved += 1;
      }
    }
    // Only when the others are done: what is nobody's word about the signal keeps it waiting, and makes the stage fail for all to see.
    if (unexplained.length > 0) throw unexplained[0];
    return moved;
  }

  return {
    name: 'dedupe',
    pollMs: 1_000,
    async pass() {
      const batch = await pendingSignals(deps.db, BATCH_SIZE);
      if (batch.length === 0) return 0;
      try {
        return await settle(batch);
      } catch (error: unknown) {
        if (error instanceof StoreUnavailable) throw error;
        // One signal that cannot be settled must not hold up the others.
        deps.log.warn('signals could not be settled together', { signals: batch.length, error });
        return await settleOneByOne(batch);
      }
    },
  };
}
