import type { ObjectRef } from '@hephaisto/core/facts/facts';
import type { Sql } from '@hephaisto/core/ports/database';

/** The open incident of the workload behind a cause, where there is one already; it must not in turn blame the one that asks. */
export async function incidentOf(
  tx: Sql,
  cluster: string,
  backend: ObjectRef | undefined,
  asking: string,
): Promise<string | undefined> {
  if (backend === undefined) return undefined;
  const [row] = await tx.query<{ id: string }>(
    `SELECT id FROM incidents WHERE cluster = $1 AND namespace = $2 AND owner_kind = $3 AND owner_name = $4
        AND id <> $5 AND caused_by IS DISTINCT FROM $5 AND absorbed_by IS NULL
        AND state NOT IN ('Suppressed', 'Resolved', 'Expired')
      ORDER BY created_at DESC LIMIT 1`,
    [cluster, backend.namespace, backend.kind, backend.name, asking],
  );
  return row?.id;
}

export interface Unlinked {
  readonly id: string;
  readonly cause: string;
}

/**
 * Incidents that blame a workload whose own incident was opened only after they had gone to a person. Those that ask are read first and by
 * themselves: they are few, and joined the other way round every finding is compared with every open incident.
 */
export function unlinked(sql: Sql, limit: number): Promise<readonly Unlinked[]> {
  return sql.query<Unlinked>(
    `WITH i AS MATERIALIZED (
       SELECT id, cluster, primary_finding_id FROM incidents
       WHERE state = 'Escalated' AND escalation_reason = 'UpstreamCause' AND caused_by IS NULL)
     SELECT DISTINCT ON (i.id) i.id, b.id AS cause
       FROM i
       JOIN findings f ON f.id = i.primary_finding_id AND f.cause->>'kind' = 'upstream'
       JOIN incidents b ON b.cluster = i.cluster AND b.namespace = f.cause->'backend'->>'namespace'
        AND b.owner_kind = f.cause->'backend'->>'kind' AND b.owner_name = f.cause->'backend'->>'name'
      WHERE b.id <> i.id AND b.caused_by IS DISTINCT FROM i.id AND b.absorbed_by IS NULL
        AND b.state NOT IN ('Suppressed', 'Resolved', 'Expired')
      ORDER BY i.id, b.created_at DESC LIMIT $1`,
    [limit],
  );
}

/** Links once; false when somebody else did or the incident has moved on. */
export async function linkCause(tx: Sql, link: Unlinked): Promise<boolean> {
  const changed = await tx.execute(
    `UPDATE incidents SET caused_by = $2 WHERE id = $1 AND caused_by IS NULL AND state = 'Escalated'`,
    [link.id, link.cause],
  );
  return changed === 1;
}
