import type { Timers } from '@hephaisto/core/ports/clock';
import { StoreRejected } from '@hephaisto/core/ports/database';
import { type Lease, type LeaseHolder, LeaseLost, type LeaseSubject, type Leases } from '@hephaisto/core/ports/leases';

export interface WithLeaseOptions {
  readonly leases: Leases;
  /** Real timers: a lease's time is never compressed. */
  readonly timers: Timers;
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
  const grant = await leases.acquire(subject, { runId, holder, ttlMs, ...(cluster === undefined ? {} : { cluster }) });
  if (grant.kind === 'busy') return grant;
  const keeper = new LeaseKeeper(grant.lease, options);
  try {
    return { kind: 'done', value: await work(grant.lease, keeper.signal) };
  } finally {
    keeper.stop();
    // A release that fails only leaves the subject busy until its time runs out.
    await leases.release(grant.lease).catch(() => undefined);
  }
}

class LeaseKeeper {
  private readonly controller = new AbortController();
  private readonly lease: Lease;
  private readonly options: WithLeaseOptions;
  private readonly onOuterAbort: () => void;
  private cancelRenewal: () => void = () => undefined;
  private cancelDeadline: () => void = () => undefined;
  private cancelNextDeadline: () => void = () => undefined;
  private stopped = false;

  constructor(lease: Lease, options: WithLeaseOptions) {
    this.lease = lease;
    this.options = options;
    this.onOuterAbort = () => this.controller.abort(options.signal?.reason);
    options.signal?.addEventListener('abort', this.onOuterAbort, { once: true });
    if (options.signal?.aborted === true) this.onOuterAbort();
    this.cancelDeadline = this.deadline();
    this.scheduleRenewal();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  stop(): void {
    this.stopped = true;
    this.cancelRenewal();
    this.cancelDeadline();
    this.cancelNextDeadline();
    this.options.signal?.removeEventListener('abort', this.onOuterAbort);
  }

  private scheduleRenewal(): void {
    if (this.stopped) return;
    this.cancelRenewal = this.options.timers.after(this.options.renewEveryMs, () => void this.renew());
  }

  private deadline(): () => void {
    return this.options.timers.after(this.options.ttlMs, () => this.lose('expired', 'no renewal succeeded in time'));
  }

  private async renew(): Promise<void> {
    // The next deadline is counted from before the call: the answer may have been long on its way.
    this.cancelNextDeadline = this.deadline();
    try {
      const check = await this.options.leases.renew(this.lease, this.options.ttlMs);
      if (check.kind === 'lost') this.lose(check.reason, check.message);
      if (this.stopped) return;
      this.cancelDeadline();
      this.cancelDeadline = this.cancelNextDeadline;
    } catch (error) {
      this.cancelNextDeadline();
      // A refusal that another try will meet again; anything else may pass, and the deadline bounds how long it is tried.
      if (error instanceof StoreRejected) this.lose('expired', error.message);
    }
    this.scheduleRenewal();
  }

  private lose(reason: LeaseLost['reason'], message: string): void {
    if (this.stopped) return;
    this.stop();
    this.controller.abort(new LeaseLost(this.lease, reason, message));
  }
}
