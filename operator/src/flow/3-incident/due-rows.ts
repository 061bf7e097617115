import type { IncidentState } from '@hephaisto/core/incident/machine';
import type { Database, Sql } from '@hephaisto/core/ports/database';
import type { Severity, SignalKind } from '@hephaisto/core/signal/kind';

export interface UntriagedIncident {
  readonly id: string;
  readonly number: number;
  readonly cluster: string;
  readonly fingerprint: string;
  readonly correlation_key: string | null;
  readonly kind: SignalKind;
  readonly title: string;
  readonly severity: Severity;
  readonly namespace: string | null;
  readonly owner_kind: string | null;
  readonly owner_name: string | null;
  readonly state: IncidentState;
  readonly is_self: boolean;
  readonly is_meta: boolean;
  readonly created_at: Date;
  readonly last_signal_at: Date;
}

/** The most severe first, then the oldest. Absorbed incidents wait for what they were absorbed into. */
export async function untriaged(db: Database, limit: number): Promise<readonly string[]> {
  const rows = await db.query<{ id: string }>(
    `SELECT id FROM incidents WHERE state IN ('Detected', 'Triaging') AND absorbed_by IS NULL
     ORDER BY array_position(ARRAY['critical', 'warning', 'info'], severity), created_at, id LIMIT $1`,
    [limit],
  );
  return rows.map((row) => row.id);
}

export async function claimUntriaged(tx: Sql, id: string): Promise<UntriagedIncident | undefined> {
  const rows = await tx.query<UntriagedIncident>(
    `SELECT id, number, cluster, fingerprint, correlation_key, kind, title, severity, namespace, owner_kind, owner_name, state, is_self,
       is_meta, created_at, last_signal_at
     FROM incidents WHERE id = $1 AND state IN ('Detected', 'Triaging') AND absorbed_by IS NULL FOR UPDATE SKIP LOCKED`,
    [id],
  );
  return rows[0];
}
