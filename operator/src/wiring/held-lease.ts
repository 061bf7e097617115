import type { Ids, Timers } from '@hephaisto/core/ports/clock';
import type { Lease, LeaseHolder, LeaseSubject, Leases } from '@hephaisto/core/ports/leases';
import type { Logger } from '@hephaisto/core/ports/telemetry';
import { withLease } from '../adapters/postgres/with-lease.ts';
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

/** Runs work under a lease of this replica, with the times given. */
export function createUnderLease(deps: HoldDeps, times: LeaseTimes): UnderLease {
  return async ({ subject, cluster, signal }, work) => {
    const { ttlMs, renewMs: renewEveryMs } = times;
    const run = await withLease(
      { ...deps, subject, cluster, signal, runId: deps.ids.uuid(), ttlMs, renewEveryMs },
      work,
    );
    return run.kind === 'busy' ? { kind: 'busy' } : run;
  };
}

/** Runs work while this replica leads for the subject. */
export function createAsLeader(underLease: UnderLease, subject: LeaseSubject, cluster: string) {
  return async (
    work: (lease: Lease, signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<'done' | 'busy'> => (await underLease({ subject, cluster, signal }, work)).kind;
}
