import type { Sql } from '@hephaisto/core/ports/database';

export interface QueueBudget {
  readonly steps: number;
  readonly deadlineMs: number;
}

/**
 * Writes the row of a look that is to be taken; undefined when another replica is about to, or the incident has moved on. A further look
 * at an incident that had one is somebody's wish.
 */
export async function queueInvestigation(
  tx: Sql,
  id: string,
  incidentId: string,
  executor: 'Rules' | 'InProcess',
  budget: QueueBudget,
): Promise<string | undefined> {
  const [incident] = await tx.query<{ cluster: string; attempts: number; live: boolean }>(
    `SELECT i.cluster, coalesce((SELECT max(attempt) FROM investigations WHERE incident_id = i.id), 0)::int AS attempts,
            EXISTS (SELECT 1 FROM investigations WHERE incident_id = i.id AND (state IN ('Queued', 'Running') OR ended_at >= i.state_since)) AS live
       FROM incidents i WHERE i.id = $1 AND i.state = 'Investigating' FOR UPDATE SKIP LOCKED`,
    [incidentId],
  );
  if (incident === undefined || incident.live) return undefined;
  const cause = incident.attempts === 0 ? 'auto' : 'reinvestigate';
  await insertQueued(
    tx,
    { id, incidentId, cluster: incident.cluster, attempt: incident.attempts + 1, cause, executor },
    budget,
  );
  return id;
}

export async function insertQueued(
  tx: Sql,
  row: {
    readonly id: string;
    readonly incidentId: string;
    readonly cluster: string;
    readonly attempt: number;
    readonly cause: 'auto' | 'reinvestigate' | 'requeue';
    readonly executor: 'Rules' | 'InProcess';
  },
  budget: QueueBudget,
): Promise<void> {
  await tx.execute(
    `INSERT INTO investigations (id, cluster, incident_id, attempt, cause, executor, state, budget_steps, budget_usd, deadline_at)
     VALUES ($1, $2, $3, $4, $5, $6, 'Queued', $7, 0, app_now() + $8 * interval '1 millisecond')`,
    [row.id, row.cluster, row.incidentId, row.attempt, row.cause, row.executor, budget.steps, budget.deadlineMs],
  );
}
