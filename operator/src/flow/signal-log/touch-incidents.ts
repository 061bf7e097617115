import type { Sql } from '@hephaisto/core/ports/database';

/**
 * Tells open incidents that one of their signals was heard of: the day without a signal starts again, and quiet begins when the last
 * firing one has ended and is over when one fires. Locks in order of id, since two deliveries may concern the same incidents.
 */
export async function touchIncidents(tx: Sql, incidentIds: readonly string[]): Promise<void> {
  if (incidentIds.length === 0) return;
  await tx.execute(
    `WITH held AS (
       SELECT id FROM incidents WHERE id = ANY($1::uuid[]) AND state NOT IN ('Suppressed', 'Resolved', 'Expired') ORDER BY id FOR UPDATE)
     UPDATE incidents i SET last_signal_at = app_now(),
       quiet_since = CASE WHEN EXISTS (SELECT 1 FROM signals s WHERE s.incident_id = i.id AND s.status <> 'resolved') THEN NULL
                          ELSE coalesce(i.quiet_since, app_now()) END
     FROM held WHERE i.id = held.id`,
    [incidentIds],
  );
}
