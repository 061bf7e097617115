import { type Lease, LeaseLost } from '@hephaisto/core/ports/leases';
import { ActionMoved } from './action-row.ts';
import type { ActingDeps } from './deps.ts';

/** A lease together with the process's own reckoning of how long it can still be sure of it. */
export interface HeldLease {
  readonly lease: Lease;
  /** Extends it; throws `LeaseLost` when it is gone. */
  renew(): Promise<void>;
  /** Throws `LeaseLost` when so much time has passed since the last renewal that another may hold it by now. */
  assertFresh(): void;
}

type LeaseDeps = Pick<ActingDeps, 'leases' | 'ids' | 'holder' | 'clock' | 'settings' | 'log'>;

/**
 * Does one step of one action while no other replica can. No timer renews the lease, unlike `withLease`: a step that hangs must be taken over
 * when the lease expires. No timer ends the work either: each transaction checks the epoch, `assertFresh` is called before each write to the
 * cluster, and each statement has a deadline, a renewal included. Returns what the work returned, or `undefined` when somebody else has the subject, has
 * taken it over meanwhile, or has moved the row first: all three mean that there is nothing left to do here.
 */
export async function underLease<T>(
  deps: LeaseDeps,
  kind: 'action' | 'verification' | 'sweeper',
  key: string,
  work: (held: HeldLease) => Promise<T>,
): Promise<T | undefined> {
  let sureSince = deps.clock.monotonicMs();
  const ttlMs = deps.settings.leaseTtlMs;
  const holder = { pod: deps.holder.pod ?? 'unknown', bootId: deps.holder.bootId ?? 'unknown' };
  const grant = await deps.leases.acquire({ kind, key }, { runId: deps.ids.uuid(), holder, ttlMs });
  if (grant.kind === 'busy') return undefined;
  const { lease } = grant;
  const held: HeldLease = {
    lease,
    async renew() {
      // Taken before the statement: the row can only be fresher than this says.
      const asked = deps.clock.monotonicMs();
      const check = await deps.leases.renew(lease, ttlMs);
      if (check.kind === 'lost') throw new LeaseLost(lease, check.reason, check.message);
      sureSince = asked;
    },
    assertFresh() {
      // A process that was stopped for a while learns it here, from its own clock, before it sends anything.
      if (deps.clock.monotonicMs() - sureSince >= ttlMs)
        throw new LeaseLost(lease, 'expired', 'the process was held up for longer than its lease lasts');
    },
  };
  try {
    return await work(held);
  } catch (error: unknown) {
    if (error instanceof LeaseLost || error instanceof ActionMoved) {
      deps.log.info('another process was first', { kind, key, reason: error.message });
      return undefined;
    }
    throw error;
  } finally {
    // A release that fails is no harm: the lease runs out by itself.
    await deps.leases
      .release(lease)
      .catch((error: unknown) => deps.log.debug('a lease was not released', { kind, key, error }));
  }
}
