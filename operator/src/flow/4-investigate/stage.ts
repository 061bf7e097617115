import type { Lease, LeaseSubject } from '@hephaisto/core/ports/leases';
import { InvestigationStopped } from '../../investigate/end.ts';
import type { Stage } from '../stage.ts';
import { reapLostCalls } from '../turn-log/reap-lost-calls.ts';
import { endInvestigation } from './begin.ts';
import { dueIncidents, movedOn, orphanedInvestigations } from './due-rows.ts';
import { queueInvestigation } from './queue.ts';
import { createReopening, type ReopenDeps } from './reopen.ts';
import { budgetOf, type InvestigateConfig, type RunDeps, runInvestigation } from './run.ts';

/**
 * Runs work under a lease that is renewed until the work settles; `busy` when somebody else holds it. The work's signal is aborted when the
 * lease is lost or the outer signal is.
 */
export type UnderLease = <T>(
  request: { readonly subject: LeaseSubject; readonly cluster: string; readonly signal: AbortSignal },
  work: (lease: Lease, signal: AbortSignal) => Promise<T>,
) => Promise<{ readonly kind: 'done'; readonly value: T } | { readonly kind: 'busy' }>;

interface Running {
  readonly id: string;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

interface Rest {
  readonly failures: number;
  /** Milliseconds of the process's clock. */
  readonly until: number;
}

const FIRST_REST_MS = 250;
const LONGEST_REST_MS = 10_000;

/** While investigations run, how soon a new incident is noticed, and that one was stopped. */
const LOOK_AROUND_MS = 200;

/** How often it is asked whether an escalated incident is to be investigated again. */
const REOPEN_EVERY_MS = 1_000;

/** Finds the cause of incidents: each under a lease of its own, several at the same time, taken up again when their owner dies. */
export function createInvestigateStage(
  deps: RunDeps & { readonly underLease: UnderLease; readonly reopen?: ReopenDeps },
  config: InvestigateConfig,
): Stage {
  const budget = budgetOf(deps, config);
  const running = new Map<string, Running>();
  const resting = new Map<string, Rest>();
  const reopen = deps.reopen === undefined ? undefined : createReopening({ ...deps, reopen: deps.reopen }, config);
  let reopening: Promise<void> | undefined;
  let reopened = 0;
  let reopenAtMs = 0;

  function isResting(incidentId: string): boolean {
    return (resting.get(incidentId)?.until ?? 0) > deps.clock.monotonicMs();
  }

  /** What could not be worked on is left alone for a growing while; asking again at once would only keep everybody else from their turn. */
  function rest(incidentId: string): void {
    const now = deps.clock.monotonicMs();
    for (const [id, { until }] of resting) if (until < now - LONGEST_REST_MS) resting.delete(id);
    const failures = (resting.get(incidentId)?.failures ?? 0) + 1;
    const pause = Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (failures - 1));
    resting.set(incidentId, { failures, until: now + pause });
  }

  /** Starts what is due and fits; returns how many were started. */
  async function startDue(signal: AbortSignal): Promise<number> {
    const free = config.concurrency - running.size;
    if (free <= 0) return 0;
    const found = await dueIncidents(deps.db, free + running.size + resting.size);
    const due = found.filter(({ incidentId }) => !running.has(incidentId) && !isResting(incidentId));
    let started = 0;
    for (const { incidentId, cluster, investigationId } of due.slice(0, free)) {
      const id = investigationId ?? (await queue(incidentId));
      if (id === undefined) continue;
      const stop = new AbortController();
      const ended = own(incidentId, id, cluster, AbortSignal.any([signal, stop.signal]), signal);
      running.set(incidentId, { id, stop, ended });
      started += 1;
    }
    return started;
  }

  async function queue(incidentId: string): Promise<string | undefined> {
    const id = await deps.db.transaction((tx) =>
      queueInvestigation(tx, () => deps.ids.uuid(), incidentId, deps.investigator.executor, budget),
    );
    await deps.faults.hit('investigate:queued');
    return id;
  }

  async function own(
    incidentId: string,
    id: string,
    cluster: string,
    signal: AbortSignal,
    process: AbortSignal,
  ): Promise<void> {
    try {
      const subject = { kind: 'investigation', key: id } as const;
      const owned = await deps.underLease({ subject, cluster, signal }, (lease, leased) =>
        runInvestigation(deps, config, lease, leased),
      );
      if (owned.kind === 'busy') rest(incidentId);
      else resting.delete(incidentId);
    } catch (error: unknown) {
      rest(incidentId);
      if (!process.aborted) deps.log.warn('investigation lost its owner', { investigation: id, error });
    } finally {
      running.delete(incidentId);
    }
  }

  /** Breaks off, wherever they are, the investigations that a person has stopped or whose incident is over. */
  async function stopMovedOn(): Promise<void> {
    const ids = [...running.values()].map(({ id }) => id);
    const gone = new Set(await movedOn(deps.db, ids));
    for (const { id, stop } of running.values())
      if (gone.has(id)) stop.abort(new InvestigationStopped('gone from Running'));
  }

  /** Beside the investigations: comparing an incident with a slow cluster must keep none of them waiting. */
  function startReopening(signal: AbortSignal): void {
    const now = deps.clock.monotonicMs();
    if (reopen === undefined || reopening !== undefined || signal.aborted || now < reopenAtMs) return;
    reopenAtMs = now + REOPEN_EVERY_MS;
    reopening = reopen(signal)
      .then((count) => {
        reopened += count;
      })
      .catch((error: unknown) => {
        if (!signal.aborted) deps.log.warn('escalated incidents could not be compared with the cluster', { error });
      })
      .finally(() => {
        reopening = undefined;
      });
  }

  async function stopOrphans(): Promise<void> {
    await reapLostCalls(deps);
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
      startReopening(signal);
      while (running.size > 0 || reopening !== undefined) {
        const under = [...running.values()].map((one) => one.ended);
        const ended = Promise.race(reopening === undefined ? under : [...under, reopening]);
        const pause = new AbortController();
        await Promise.race([ended, deps.timers.sleep(LOOK_AROUND_MS, pause.signal).catch(() => undefined)]);
        pause.abort();
        if (!signal.aborted && running.size > 0) await stopMovedOn();
        if (signal.aborted) continue;
        moved += await startDue(signal);
        startReopening(signal);
      }
      moved += reopened;
      reopened = 0;
      return moved;
    },
  };
}
