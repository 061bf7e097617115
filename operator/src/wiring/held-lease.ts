import type { Ids, Timers } from '@hephaisto/core/ports/clock';
import type { Lease, LeaseHolder, LeaseSubject, Leases } from '@hephaisto/core/ports/leases';
import type { Logger } from '@hephaisto/core/ports/telemetry';
import type { UnderLease } from '../flow/4-investigate/stage.ts';

export interface LeaseTimes {
  readonly ttlMs: number;
  readonly renewMs: number;
}

/** Whoever leads is replaced within this time after it has died; work that a dead replica held is taken up after the other. */
export const LEADER_TIMES: LeaseTimes = { ttlMs: 10_000, renewMs: 3_000 };
export const CLAIM_TIMES: LeaseTimes = { ttlMs: 15_000, renewMs: 5_000 };

export interface HoldDeps {
  readonly leases: Leases;
  readonly ids: Ids;
  readonly timers: Timers;
  readonly log: Logger;
  readonly holder: LeaseHolder;
}

/**
 * Runs work while holding a lease that renews itself. The work's signal aborts when the lease is lost, when it could not be renewed for its
 * whole life, or when the outer signal does; the lease is released when the work has settled.
 */
export function createUnderLease(deps: HoldDeps, times: LeaseTimes): UnderLease {
  return async (request, work) => {
    const grant = await deps.leases.acquire(request.subject, {
      runId: deps.ids.uuid(),
      holder: deps.holder,
      ttlMs: times.ttlMs,
      cluster: request.cluster,
    });
    if (grant.kind === 'busy') return { kind: 'busy' };
    const lost = new AbortController();
    const stopRenewing = keepRenewing(deps, grant.lease, times, lost);
    try {
      const value = await work(grant.lease, AbortSignal.any([request.signal, lost.signal]));
      return { kind: 'done', value };
    } finally {
      stopRenewing();
      // A lease that cannot be given back runs out by itself.
      await deps.leases.release(grant.lease).catch(() => undefined);
    }
  };
}

function keepRenewing(deps: HoldDeps, lease: Lease, times: LeaseTimes, lost: AbortController): () => void {
  let stopped = false;
  let missed = 0;
  let cancel = deps.timers.after(times.renewMs, renew);
  function renew(): void {
    void attempt().then(() => {
      if (!stopped && !lost.signal.aborted) cancel = deps.timers.after(times.renewMs, renew);
    });
  }
  async function attempt(): Promise<void> {
    try {
      const check = await deps.leases.renew(lease, times.ttlMs);
      if (check.kind === 'lost') lost.abort(new Error(check.message));
      missed = 0;
    } catch (error: unknown) {
      missed += 1;
      deps.log.warn('a lease could not be renewed', { kind: lease.kind, key: lease.key, missed, error });
      // By now it has run out whatever the database thinks of us; working on would be working without it.
      if (missed * times.renewMs >= times.ttlMs) lost.abort(error);
    }
  }
  return () => {
    stopped = true;
    cancel();
  };
}

/** Runs work while this replica leads for the subject. */
export function createAsLeader(underLease: UnderLease, subject: LeaseSubject, cluster: string) {
  return async (
    work: (lease: Lease, signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<'done' | 'busy'> => (await underLease({ subject, cluster, signal }, work)).kind;
}
