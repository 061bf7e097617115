import type { IncidentState } from '@hephaisto/core/incident/machine';
import type { Sql } from '@hephaisto/core/ports/database';

export interface CommandedIncident {
  readonly id: string;
  readonly cluster: string;
  readonly state: IncidentState;
  readonly version: number;
  readonly is_self: boolean;
  readonly is_meta: boolean;
  readonly acknowledged_by: string | null;
  readonly acknowledged_at: Date | null;
  readonly assigned_to: string | null;
  readonly closed_at: Date | null;
}

/** Holds the incident's row until the command's transaction ends. */
export async function lockForCommand(tx: Sql, incidentId: string): Promise<CommandedIncident | undefined> {
  const rows = await tx.query<CommandedIncident>(
    `SELECT id, cluster, state, version, is_self, is_meta, acknowledged_by, acknowledged_at, assigned_to, closed_at
     FROM incidents WHERE id = $1::uuid FOR UPDATE`,
    [incidentId],
  );
  return rows[0];
}

export function incidentNotFound(incidentId: string) {
  return {
    kind: 'refused',
    reason: 'incident-not-found',
    message: `expected an incident, found none with the id \`${incidentId}\``,
  } as const;
}

/** The longest text that a person may leave with an incident, in characters. */
export const LONGEST_TEXT = 4_000;
