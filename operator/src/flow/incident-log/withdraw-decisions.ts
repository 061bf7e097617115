import type { Sql } from '@hephaisto/core/ports/database';

/**
 * What an incident that is over leaves undecided can no longer be decided: its open proposals become void, and the actions that waited
 * for them are withdrawn. On the transaction that ends the incident, so that no vote can slip in between.
 */
export async function withdrawDecisions(tx: Sql, incidentId: string, why: string): Promise<void> {
  await tx.execute(
    `UPDATE proposals SET state = 'Void', void_reason = $2, settled_at = app_now()
     WHERE state = 'Open' AND action_id IN (SELECT id FROM actions WHERE incident_id = $1)`,
    [incidentId, why],
  );
  await tx.execute(`UPDATE actions SET state = 'Withdrawn' WHERE incident_id = $1 AND state = 'AwaitingApproval'`, [
    incidentId,
  ]);
}
