import type { Database, Sql } from '@hephaisto/core/ports/database';
import type { Severity, SignalKind } from '@hephaisto/core/signal/kind';

export interface PendingSignal {
  readonly id: string;
  readonly cluster: string;
  /** The trace of the delivery it came in first. */
  readonly traceparent: string | null;
}

export interface SignalRow extends PendingSignal {
  readonly kind: SignalKind;
  readonly severity: Severity;
  readonly reason: string;
  readonly namespace: string | null;
  readonly owner_kind: string | null;
  readonly owner_name: string | null;
  readonly owner_chain: readonly string[];
  readonly pod_name: string | null;
  readonly node_name: string | null;
  readonly fingerprint: string;
  readonly correlation_key: string | null;
  readonly status: 'firing' | 'resolved';
  readonly is_self: boolean;
  readonly received_at: Date;
  readonly last_seen_at: Date;
}

/** Oldest first. */
export async function pendingSignals(db: Database, limit: number): Promise<readonly PendingSignal[]> {
  return await db.query<PendingSignal>(
    `SELECT id, cluster, (SELECT n.traceparent FROM intake n WHERE n.id = intake_id) AS traceparent FROM signals WHERE disposition = 'pending' ORDER BY received_at, id LIMIT $1`,
    [limit],
  );
}

/**
 * One replica at a time decides for a cluster. Decisions look at other incidents, which row locks cannot hold: two signals of one owner
 * decided at once would open two incidents.
 */
export async function lockCluster(tx: Sql, cluster: string): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('hephaisto:dedupe:' || $1::text, 0))`, [cluster]);
}

/** The rows that are still to be settled, ours for the rest of the transaction, oldest first. */
export async function claimSignals(tx: Sql, ids: readonly string[]): Promise<readonly SignalRow[]> {
  return await tx.query<SignalRow>(
    `SELECT id, cluster, kind, severity, reason, namespace, owner_kind, owner_name, owner_chain, pod_name, node_name, fingerprint,
       correlation_key, status, is_self, received_at, last_seen_at,
       (SELECT n.traceparent FROM intake n WHERE n.id = intake_id) AS traceparent
     FROM signals WHERE id = ANY($1::uuid[]) AND disposition = 'pending' ORDER BY received_at, id FOR UPDATE SKIP LOCKED`,
    [ids],
  );
}
