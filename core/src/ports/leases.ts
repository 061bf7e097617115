import type { Sql } from './database.ts';

export const LEASE_KINDS = [
  'leader',
  'intake',
  'triage',
  'investigation',
  'action',
  'verification',
  'delivery',
  'turn',
  'compaction',
  'session',
  'sweeper',
] as const;
export type LeaseKind = (typeof LEASE_KINDS)[number];

/** Who holds a lease: shown to people and to whoever waits for it. */
export interface LeaseHolder {
  readonly pod: string;
  readonly bootId: string;
  readonly detail?: string;
}

export interface LeaseSubject {
  readonly kind: LeaseKind;
  readonly key: string;
}

/** A lease as granted. The epoch grows with every grant of the subject, for ever, so a write that carries an old one can be told. */
export interface Lease extends LeaseSubject {
  readonly runId: string;
  readonly epoch: number;
}

export type LeaseGrant =
  | { readonly kind: 'held'; readonly lease: Lease }
  | { readonly kind: 'busy'; readonly holder: LeaseHolder; readonly expiresAt: Date };

export type LeaseCheck =
  | { readonly kind: 'valid'; readonly expiresAt: Date }
  | {
      readonly kind: 'lost';
      readonly reason: 'superseded' | 'released' | 'expired' | 'missing';
      readonly message: string;
    };

/**
 * Leases on rows, on the database's clock only. A lease says who may *write rows*; it does not fence the API server, which is why every
 * write there carries preconditions of its own.
 */
export interface Leases {
  /** Grants when the subject is free, released or expired; `runId` is unique for ever. */
  acquire(
    subject: LeaseSubject,
    request: { runId: string; holder: LeaseHolder; ttlMs: number; cluster?: string },
  ): Promise<LeaseGrant>;
  /** Extends a lease that is still valid; an expired one is lost even if nobody has taken it since. */
  renew(lease: Lease, ttlMs: number): Promise<LeaseCheck>;
  /** Frees the subject at once. Does nothing when the lease is no longer ours. */
  release(lease: Lease): Promise<void>;
  check(lease: Lease): Promise<LeaseCheck>;
}

/** Throws `LeaseLost` unless the lease is valid now; holds the lease row FOR SHARE until the transaction ends, so nobody takes it meanwhile. */
export type RequireEpoch = (tx: Sql, lease: Lease) => Promise<void>;

/** The lease is gone: whatever was to be written must not be. */
export class LeaseLost extends Error {
  readonly tag = 'LeaseLost';
  readonly retryable = false;
  readonly lease: Lease;
  readonly reason: 'superseded' | 'released' | 'expired' | 'missing';
  constructor(lease: Lease, reason: LeaseLost['reason'], message: string) {
    super(message);
    this.name = 'LeaseLost';
    this.lease = lease;
    this.reason = reason;
  }
}
