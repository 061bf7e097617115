import type { Timers } from '@hephaisto/core/ports/clock';
import { StoreRejected } from '@hephaisto/core/ports/database';
import { type Lease, type LeaseHolder, LeaseLost, type LeaseSubject, type Leases } from '@hephaisto/core/ports/leases';
import type { Logger } from '@hephaisto/core/ports/telemetry';

export interface WithLeaseOptions {
  readonly leases: Leases;
  /** Real timers: a lease's time is never compressed. */
  readonly timers: Timers;
  readonly log: Logger;
  readonly subject: LeaseSubject;
  /** Unique for ever; a new one for every call. */
  readonly runId: string;
  readonly holder: LeaseHolder;
  readonly ttlMs: number;
  readonly renewEveryMs: number;
  readonly cluster?: string;
  /** Ends the work early; its reason becomes the reason of the work's own signal. */
  readonly signal?: AbortSignal;
}

export type LeaseRun<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'busy'; readonly holder: LeaseHolder; readonly expiresAt: Date };

/**
 * Runs `work` under a lease, renewed until the work settles and released then. The signal given to the work is aborted with `LeaseLost`
 * as soon as a renewal is refused, or when no renewal has succeeded for the lease's whole time, whatever the database says later. The
 * work must still check the epoch in each of its writes: a paused process learns of its loss only after it has been resumed.
 * Rejects with what `work` rejects with.
 */
export async function withLease<T>(
  options: WithLeaseOptions,
  work: (lease: Lease, signal: AbortSignal) => Promise<T>,
): Promise<LeaseRun<T>> {
  const { leases, subject, runId, holder, ttlMs, cluster } = options;
  // Counted from before the call, as for each renewal: the grant may have been long on its way.
  const first = startDeadline(options.timers, ttlMs);
  try {
    const grant = await leases.acquire(subject, {
      runId,
      holder,
      ttlMs,
      ...(cluster === undefined ? {} : { cluster }),
    });
    if (grant.kind === 'busy') return grant;
    const keeper = new LeaseKeeper(grant.lease, options, first);
    try {
      return { kind: 'done', value: await work(grant.lease, keeper.signal) };
    } finally {
      keeper.stop();
      await releaseWithin(options, grant.lease);
    }
  } finally {
    first.cancel();
  }
}

/** A release that fails or does not answer leaves the subject busy until its time runs out, and not longer; so nobody waits longer for it. */
async function releaseWithin({ leases, timers, ttlMs }: WithLeaseOptions, lease: Lease): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const cancel = timers.after(ttlMs, resolve);
  await Promise.race([over, leases.release(lease).catch(() => undefined)]);
  cancel();
}

interface Deadline {
  /** Calls back when the time is over, at once when it already is. */
  onOver(callback: () => void): void;
  cancel(): void;
}

function startDeadline(timers: Timers, milliseconds: number): Deadline {
  let over = false;
  let callback: (() => void) | undefined;
  const cancel = timers.after(milliseconds, () => {
    over = true;
    callback?.();
  });
  return {
    onOver(given) {
      callback = given;
      if (over) given();
    },
    cancel,
  };
}

class LeaseKeeper {
  private readonly controller = new AbortController();
  private readonly lease: Lease;
  private readonly options: WithLeaseOptions;
  private readonly onOuterAbort: () => void;
  private cancelRenewal: () => void = () => undefined;
  private deadline: Deadline;
  private stopped = false;
  private missed = 0;

  constructor(lease: Lease, options: WithLeaseOptions, first: Deadline) {
    this.lease = lease;
    this.options = options;
    this.onOuterAbort = () => this.controller.abort(options.signal?.reason);
    options.signal?.addEventListener('abort', this.onOuterAbort, { once: true });
    if (options.signal?.aborted === true) this.onOuterAbort();
    this.deadline = first;
    this.scheduleRenewal();
    first.onOver(() => this.expire());
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  stop(): void {
    this.stopped = true;
    this.cancelRenewal();
    this.deadline.cancel();
    this.options.signal?.removeEventListener('abort', this.onOuterAbort);
  }

  private scheduleRenewal(): void {
    if (this.stopped) return;
    this.cancelRenewal = this.options.timers.after(this.options.renewEveryMs, () => void this.renew());
  }

  private expire(): void {
    this.lose('expired', 'no renewal succeeded in time');
  }

  private async renew(): Promise<void> {
    const next = startDeadline(this.options.timers, this.options.ttlMs);
    try {
      const check = await this.options.leases.renew(this.lease, this.options.ttlMs);
      if (check.kind === 'lost') this.lose(check.reason, check.message);
      else if (!this.stopped) this.prolong(next);
    } catch (error: unknown) {
      this.missed += 1;
      const { kind, key } = this.lease;
      this.options.log.warn('a lease could not be renewed', { kind, key, missed: this.missed, error });
      // A refusal that another try will meet again; anything else may pass, and the deadline bounds how long it is tried.
      if (error instanceof StoreRejected) this.lose('expired', error.message);
    }
    if (this.deadline !== next) next.cancel();
    this.scheduleRenewal();
  }

  private prolong(next: Deadline): void {
    this.missed = 0;
    this.deadline.cancel();
    this.deadline = next;
    next.onOver(() => this.expire());
  }

  private lose(reason: LeaseLost['reason'], message: string): void {
    if (this.stopped) return;
    this.stop();
    this.controller.abort(new LeaseLost(this.lease, reason, message));
  }
}
