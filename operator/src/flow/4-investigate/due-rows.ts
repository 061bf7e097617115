import type { Sql } from '@hephaisto/core/ports/database';

/** An incident under investigation that nobody is looking into. */
export type DueIncident = {
  readonly incidentId: string;
  readonly cluster: string;
  readonly investigationId: string | null;
};

const LEASED = `EXISTS (SELECT 1 FROM leases l WHERE l.kind = 'investigation' AND l.subject_key = n.id::text
   AND l.released_at IS NULL AND l.expires_at > app_now())`;

/**
 * Incidents whose newest investigation is waiting or has lost its owner, and those that have none since they came to be investigated: the
 * end of an earlier one lies before that. A finished one of the same stay waits for its plan and is not due.
 */
export function dueIncidents(sql: Sql, limit: number): Promise<readonly DueIncident[]> {
  return sql.query<DueIncident>(
    `SELECT i.id AS "incidentId", i.cluster,
            CASE WHEN n.state IN ('Queued', 'Running') THEN n.id END AS "investigationId"
       FROM incidents i
       LEFT JOIN LATERAL (SELECT id, state, ended_at FROM investigations WHERE incident_id = i.id ORDER BY attempt DESC LIMIT 1) n ON true
      WHERE i.state = 'Investigating'
        AND (n.id IS NULL OR (n.state IN ('Queued', 'Running') AND NOT ${LEASED}) OR n.ended_at < i.state_since)
      ORDER BY i.severity = 'critical' DESC, i.state_since LIMIT $1`,
    [limit],
  );
}

/** Unfinished investigations whose incident has moved on and whose owner is gone. */
export async function orphanedInvestigations(sql: Sql, limit: number): Promise<readonly string[]> {
  const rows = await sql.query<{ id: string }>(
    `SELECT n.id FROM investigations n JOIN incidents i ON i.id = n.incident_id
      WHERE n.state IN ('Queued', 'Running') AND i.state <> 'Investigating' AND NOT ${LEASED} LIMIT $1`,
    [limit],
  );
  return rows.map(({ id }) => id);
}

/** Those among the running ones that are running no more, or whose incident is not investigated any more. */
export async function movedOn(sql: Sql, ids: readonly string[]): Promise<readonly string[]> {
  const rows = await sql.query<{ id: string }>(
    `SELECT n.id FROM investigations n JOIN incidents i ON i.id = n.incident_id
      WHERE n.id = ANY($1::uuid[]) AND (n.state NOT IN ('Queued', 'Running') OR i.state <> 'Investigating')`,
    [ids],
  );
  return rows.map(({ id }) => id);
}
