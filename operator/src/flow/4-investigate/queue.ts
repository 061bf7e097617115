import type { Sql } from '@hephaisto/core/ports/database';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import { openTurn } from '../turn-log/turn-rows.ts';

export interface QueueBudget {
  readonly steps: number;
  readonly deadlineMs: number;
  /** What a model may cost; zero for rules alone. */
  readonly usd: number;
}

/**
 * Writes the row of a look that is to be taken; undefined when another replica is about to, or the incident has moved on. A further look
 * at an incident that had one is somebody's wish.
 */
export async function queueInvestigation(
  tx: Sql,
  newId: () => string,
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
  const id = newId();
  const { cluster } = incident;
  // One turn for the look and for all attempts that take it up again.
  const turnId =
    executor === 'Rules'
      ? undefined
      : await openTurn(tx, {
          id: newId(),
          conversationId: newId(),
          cluster,
          incidentId,
          kind: 'investigation',
          requestId: id,
          submittedBy: SERVICE_PRINCIPALS.investigator,
        });
  await insertQueued(tx, { id, incidentId, cluster, attempt: incident.attempts + 1, cause, executor, turnId }, budget);
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
    readonly turnId: string | undefined;
  },
  budget: QueueBudget,
): Promise<void> {
  await tx.execute(
    `INSERT INTO investigations (id, cluster, incident_id, attempt, cause, executor, turn_id, state, budget_steps, budget_usd, deadline_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, 'Queued', $8, $9, app_now() + $10 * interval '1 millisecond')`,
    [
      row.id,
      row.cluster,
      row.incidentId,
      row.attempt,
      row.cause,
      row.executor,
      row.turnId ?? null,
      budget.steps,
      budget.usd,
      budget.deadlineMs,
    ],
  );
}
