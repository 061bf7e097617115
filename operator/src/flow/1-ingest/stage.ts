import { StoreUnavailable } from '@hephaisto/core/ports/database';
import type { Sha256Hex } from '@hephaisto/core/signal/fingerprint';
import { recordSightings } from '../signal-log/record-signals.ts';
import type { Stage, StageDeps } from '../stage.ts';
import { type AlertReading, expandBody } from './expand-body.ts';
import { claimIntake, type PendingIntake, pendingIntake, poisonIntake, settleIntake } from './intake-rows.ts';
import type { OwnerLookup } from './resolve-owner.ts';

export interface IngestStageConfig extends AlertReading {
  /** Tries before a body is put aside as poison. */
  readonly attempts: number;
}

/** Turns bodies as received into signals, in the order of their arrival. */
export function createIngestStage(
  deps: StageDeps & { readonly owners: OwnerLookup; readonly sha256: Sha256Hex },
  config: IngestStageConfig,
): Stage {
  async function expand(row: PendingIntake): Promise<boolean> {
    // The cluster is asked before the transaction opens: a slow API server must not hold database locks.
    const expanded = await expandBody(deps, config, row.body);
    const settled = await deps.db.transaction(async (tx) => {
      if (!(await claimIntake(tx, row.id))) return false;
      const recorded = await recordSightings(tx, deps, expanded.sightings, row.id);
      await settleIntake(tx, row.id, { ...expanded.outcome, ...recorded });
      return true;
    });
    await deps.faults.hit('ingest:expanded');
    return settled;
  }

  return {
    name: 'ingest',
    pollMs: 1_000,
    async pass(signal) {
      let moved = 0;
      for (const row of await pendingIntake(deps.db, 20)) {
        if (signal.aborted) break;
        try {
          const origin = { parent: row.traceparent ?? undefined };
          if (await deps.tracer.span('hephaisto.ingest', {}, () => expand(row), origin)) moved += 1;
        } catch (error: unknown) {
          // A database that is away says nothing about the body; anything else will probably happen again.
          if (error instanceof StoreUnavailable) throw error;
          const poisoned = await poisonIntake(deps, row.id, config.attempts, error);
          deps.log[poisoned ? 'error' : 'warn']('webhook body could not be expanded', {
            intake: row.id,
            poisoned,
            error,
          });
          deps.metrics.count('stage_errors_total', { stage: 'ingest' });
          if (poisoned) moved += 1;
        }
      }
      return moved;
    },
  };
}
