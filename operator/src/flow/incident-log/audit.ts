import type { Sql } from '@hephaisto/core/ports/database';
import type { EventOrigin } from '@hephaisto/core/ports/incident-log';
import { cleanJsonText } from '@hephaisto/core/signal/clean-text';

/** One line of the record that nobody can change: who did what to which subject. `detail` holds codes and numbers, no person's words. */
export interface AuditRecord {
  readonly actor: string;
  readonly origin: EventOrigin;
  /** e.g. `incident.close`, `proposal.approve`, `action.admit`, `switch.set`. */
  readonly verb: string;
  readonly subjectKind: string;
  readonly subjectId: string;
  readonly cluster?: string;
  readonly namespace?: string;
  readonly workloadKind?: string;
  readonly workloadName?: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Writes the record on the caller's transaction, so that what is audited and its record exist together or not at all. */
export async function appendAudit(tx: Sql, record: AuditRecord): Promise<void> {
  await tx.execute(
    `INSERT INTO audit_log (actor, origin, verb, subject_kind, subject_id, cluster, namespace, workload_kind, workload_name, detail)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb)`,
    [
      record.actor,
      record.origin,
      record.verb,
      record.subjectKind,
      record.subjectId,
      record.cluster ?? null,
      record.namespace ?? null,
      record.workloadKind ?? null,
      record.workloadName ?? null,
      cleanJsonText(record.detail ?? {}),
    ],
  );
}
