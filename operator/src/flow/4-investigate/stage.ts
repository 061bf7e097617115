import type { Lease, LeaseSubject } from '@hephaisto/core/ports/leases';
import type { Stage } from '../stage.ts';
import { endInvestigation } from './begin.ts';
import { dueIncidents, orphanedInvestigations } from './due-rows.ts';
import { queueInvestigation } from './queue.ts';
import { type InvestigateConfig, type RunDeps, runInvestigation } from './run.ts';

/**
 * Runs work under a lease that is renewed until the work settles; `busy` when somebody else holds it. The work's signal is aborted when the
 * lease is lost or the outer signal is.
 */
export type UnderLease = <T>(
  request: { readonly subject: LeaseSubject; readonly cluster: string; readonly signal: AbortSignal },
  work: (lease: Lease, signal: AbortSignal) => Promise<T>,
) => Promise<{ readonly kind: 'done'; readonly value: T } | { readonly kind: 'busy' }>;

/** While investigations run, how soon a new incident is noticed. */
const LOOK_AROUND_MS = 200;

/** Finds the cause of incidents: each under a lease of its own, several at the same time, taken up again when their owner dies. */
export function createInvestigateStage(
  deps: RunDeps & { readonly underLease: UnderLease },
  config: InvestigateConfig,
): Stage {
  const budget = { steps: config.budgetSteps, deadlineMs: config.deadlineMs };
  const running = new Map<string, Promise<void>>();

  /** Starts what is due and fits; returns how many were started. */
  async function startDue(signal: AbortSignal): Promise<number> {
    const free = config.concurrency - running.size;
    if (free <= 0) return 0;
    const due = (await dueIncidents(deps.db, free + running.size)).filter(({ incidentId }) => !running.has(incidentId));
    let started = 0;
    for (const { incidentId, cluster, investigationId } of due.slice(0, free)) {
      const id = investigationId ?? (await queue(incidentId));
      if (id === undefined) continue;
      running.set(incidentId, own(incidentId, id, cluster, signal));
      started += 1;
    }
    return started;
  }

  async function queue(incidentId: string): Promise<string | undefined> {
    const id = await deps.db.transaction((tx) =>
      queueInvestigation(tx, deps.ids.uuid(), incidentId, deps.investigator.executor, budget),
    );
    await deps.faults.hit('investigate:queued');
    return id;
  }

  async function own(incidentId: string, id: string, cluster: string, signal: AbortSignal): Promise<void> {
    try {
      await deps.underLease({ subject: { kind: 'investigation', key: id }, cluster, signal }, (lease, leased) =>
        runInvestigation(deps, config, lease, leased),
      );
    } catch (error: unknown) {
      if (!signal.aborted) deps.log.warn('investigation lost its owner', { investigation: id, error });
    } finally {
      running.delete(incidentId);
    }
  }

  async function stopOrphans(): Promise<void> {
    const orphans = await orphanedInvestigations(deps.db, 20);
    if (orphans.length === 0) return;
    await deps.db.transaction(async (tx) => {
      for (const id of orphans) await endInvestigation(tx, id, 'Stopped', 'incident moved on');
    });
    await deps.faults.hit('investigate:orphans-stopped');
  }

  return {
    name: 'investigate',
    pollMs: 1_000,
    async pass(signal) {
      await stopOrphans();
      let moved = await startDue(signal);
      while (running.size > 0) {
        const ended = Promise.race(running.values());
        const pause = new AbortController();
        await Promise.race([ended, deps.timers.sleep(LOOK_AROUND_MS, pause.signal).catch(() => undefined)]);
        pause.abort();
        if (!signal.aborted) moved += await startDue(signal);
      }
      return moved;
    },
  };
}
