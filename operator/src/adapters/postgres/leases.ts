import type { Database, Sql } from '@hephaisto/core/ports/database';
import {
  type Lease,
  type LeaseCheck,
  type LeaseGrant,
  type LeaseHolder,
  LeaseLost,
  type LeaseSubject,
  type Leases,
  type RequireEpoch,
} from '@hephaisto/core/ports/leases';

/**
 * Leases on the `leases` table. Every time is `app_now()`, so replicas with wrong clocks agree, and it is read after the row lock is held,
 * so a lease that ran out while a statement waited counts as run out.
 */
export function createLeases(db: Database): Leases {
  return {
    acquire: (subject, request) => acquire(db, subject, request),
    renew: (lease, ttlMs) => renew(db, lease, ttlMs),
    release: (lease) => release(db, lease),
    check: async (lease) => judge(lease, await read(db, lease)),
  };
}

/**
 * FOR KEY SHARE is exactly what is needed: a take-over changes `run_id`, a key column, and waits for it; the holder's own renewal
 * changes none and does not, so a long transaction cannot starve the timer that keeps its lease alive.
 */
export const requireEpoch: RequireEpoch = async (tx, lease) => {
  const check = judge(lease, await read(tx, lease, 'FOR KEY SHARE'));
  if (check.kind === 'lost') throw new LeaseLost(lease, check.reason, check.message);
};

interface AcquireRequest {
  readonly runId: string;
  readonly holder: LeaseHolder;
  readonly ttlMs: number;
  readonly cluster?: string;
}

async function acquire(db: Database, subject: LeaseSubject, request: AcquireRequest): Promise<LeaseGrant> {
  const [granted] = await db.query<{ epoch: number }>(
    `INSERT INTO leases (kind, subject_key, cluster, run_id, epoch, holder, acquired_at, renewed_at, expires_at)
     VALUES ($1, $2, $3, $4, 1, $5, app_now(), app_now(), app_now() + $6 * interval '1 millisecond')
     ON CONFLICT (kind, subject_key) DO UPDATE
        SET cluster = excluded.cluster, run_id = excluded.run_id, epoch = leases.epoch + 1, holder = excluded.holder,
            acquired_at = app_now(), renewed_at = app_now(), expires_at = app_now() + $6 * interval '1 millisecond',
            deadline_at = NULL, released_at = NULL
      WHERE leases.released_at IS NOT NULL OR leases.expires_at <= app_now()
     RETURNING epoch`,
    [subject.kind, subject.key, request.cluster, request.runId, request.holder, request.ttlMs],
  );
  if (granted !== undefined) {
    return {
      kind: 'held',
      lease: { kind: subject.kind, key: subject.key, runId: request.runId, epoch: granted.epoch },
    };
  }
  const [other] = await db.query<{ holder: LeaseHolder; expires_at: Date }>(
    'SELECT holder, expires_at FROM leases WHERE kind = $1 AND subject_key = $2',
    [subject.kind, subject.key],
  );
  if (other === undefined)
    throw new Error(
      `expected a row for the lease \`${subject.kind} ${subject.key}\`, found none; leases are never deleted`,
    );
  return { kind: 'busy', holder: other.holder, expiresAt: other.expires_at };
}

async function renew(db: Database, lease: Lease, ttlMs: number): Promise<LeaseCheck> {
  const [renewed] = await db.query<{ expires_at: Date }>(
    `UPDATE leases SET renewed_at = app_now(), expires_at = app_now() + $5 * interval '1 millisecond'
      WHERE kind = $1 AND subject_key = $2 AND run_id = $3 AND epoch = $4 AND released_at IS NULL AND expires_at > app_now()
        AND (deadline_at IS NULL OR deadline_at > app_now())
     RETURNING expires_at`,
    [lease.kind, lease.key, lease.runId, lease.epoch, ttlMs],
  );
  if (renewed !== undefined) return { kind: 'valid', expiresAt: renewed.expires_at };
  const check = judge(lease, await read(db, lease));
  return check.kind === 'lost' ? check : lost('expired', `${nameOf(lease)} has reached its deadline`);
}

async function release(db: Database, lease: Lease): Promise<void> {
  await db.execute(
    `UPDATE leases SET released_at = app_now()
      WHERE kind = $1 AND subject_key = $2 AND run_id = $3 AND epoch = $4 AND released_at IS NULL`,
    [lease.kind, lease.key, lease.runId, lease.epoch],
  );
}

interface LeaseRow {
  readonly run_id: string;
  readonly epoch: number;
  readonly expires_at: Date;
  readonly released: boolean;
  readonly expired: boolean;
}

async function read(sql: Sql, lease: Lease, lock = ''): Promise<LeaseRow | undefined> {
  const [row] = await sql.query<LeaseRow>(
    `SELECT run_id, epoch, expires_at, released_at IS NOT NULL AS released, expires_at <= app_now() AS expired
       FROM leases WHERE kind = $1 AND subject_key = $2 ${lock}`,
    [lease.kind, lease.key],
  );
  return row;
}

function judge(lease: Lease, row: LeaseRow | undefined): LeaseCheck {
  if (row === undefined) return lost('missing', `${nameOf(lease)} was never granted`);
  if (row.run_id !== lease.runId || row.epoch !== lease.epoch) {
    return lost('superseded', `${nameOf(lease)} was taken over at epoch ${row.epoch}`);
  }
  if (row.released) return lost('released', `${nameOf(lease)} was released`);
  if (row.expired) return lost('expired', `${nameOf(lease)} ran out at ${row.expires_at.toISOString()}`);
  return { kind: 'valid', expiresAt: row.expires_at };
}

function lost(reason: LeaseLost['reason'], message: string): LeaseCheck {
  return { kind: 'lost', reason, message };
}

function nameOf(lease: Lease): string {
  return `lease \`${lease.kind} ${lease.key}\` at epoch ${lease.epoch}`;
}
