import type { Sql } from '@hephaisto/core/ports/database';
import type { IncidentLog } from '@hephaisto/core/ports/incident-log';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';

/**
 * Puts incidents whose firing signals all come from pods of a failing node under the node's incident. They keep their state and end with
 * it. Incidents in which an action is decided on or under way stay on their own: their checks must still answer.
 */
export async function absorbPodIncidents(
  tx: Sql,
  incidents: IncidentLog,
  node: { readonly cluster: string; readonly node_name: string },
  into: string,
  windowMs: number,
): Promise<number> {
  const rows = await tx.query<{ id: string }>(
    `SELECT i.id FROM incidents i
     WHERE i.cluster = $1 AND i.state IN ('Detected', 'Triaging', 'Investigating', 'Escalated') AND i.absorbed_by IS NULL
       AND NOT i.is_self AND NOT i.is_meta AND i.kind NOT IN ('NodePressure', 'ImagePullBackOff', 'ConfigError', 'JobFailed')
       AND i.last_signal_at >= app_now() - $3::float8 * interval '1 millisecond'
       AND EXISTS (SELECT 1 FROM signals s WHERE s.incident_id = i.id AND s.status = 'firing' AND s.node_name = $2)
       AND NOT EXISTS (SELECT 1 FROM signals s WHERE s.incident_id = i.id AND s.status <> 'resolved' AND s.node_name IS DISTINCT FROM $2)
     ORDER BY i.id`,
    [node.cluster, node.node_name, windowMs],
  );
  for (const row of rows) {
    await incidents.note(tx, {
      incidentId: row.id,
      kind: 'merge',
      reason: 'on-failing-node',
      data: { into, node: node.node_name },
      actor: SERVICE_PRINCIPALS.ingest,
      origin: 'core',
    });
    await tx.execute('UPDATE incidents SET absorbed_by = $2 WHERE id = $1', [row.id, into]);
  }
  return rows.length;
}
