import type { Cause, Certainty } from '@hephaisto/core/finding/finding';
import type { PlannableFinding } from '@hephaisto/core/plan/plan';
import type { Sql } from '@hephaisto/core/ports/database';

/** A concluded investigation in which a model, and no rule, found a likely cause: worth a question to the planner. */
export const NEEDS_PLANNER = `n.state = 'Concluded' AND n.executor = 'InProcess' AND EXISTS (SELECT 1 FROM findings f
  WHERE f.investigation_id = n.id AND f.is_primary AND f.status = 'grounded' AND f.rule IS NULL AND f.certainty = 'likely')`;

export interface Unplanned {
  readonly id: string;
  readonly needsPlanner: boolean;
}

/**
 * Ended investigations of this stay of their incident that have no plan yet, those that need no model first: questions that wait for a
 * free slot must not fill the list.
 */
export function unplanned(sql: Sql, besides: readonly string[], limit: number): Promise<readonly Unplanned[]> {
  return sql.query<Unplanned>(
    `SELECT n.id, ${NEEDS_PLANNER} AS "needsPlanner" FROM investigations n JOIN incidents i ON i.id = n.incident_id
      WHERE n.state IN ('Concluded', 'NoConclusion', 'BudgetExhausted') AND i.state = 'Investigating' AND n.ended_at >= i.state_since
        AND NOT (n.id = ANY($1::uuid[])) AND NOT EXISTS (SELECT 1 FROM plans p WHERE p.investigation_id = n.id)
      ORDER BY "needsPlanner", n.ended_at LIMIT $2`,
    [besides, limit],
  );
}

export interface ClaimedInvestigation {
  readonly id: string;
  readonly incidentId: string;
  readonly cluster: string;
  readonly state: 'Concluded' | 'NoConclusion' | 'BudgetExhausted';
  readonly endReason: string | null;
}

/** Locks the incident and takes the investigation, unless another replica has it, planned it, or the incident has moved on. */
export async function claimUnplanned(tx: Sql, id: string): Promise<ClaimedInvestigation | undefined> {
  const [row] = await tx.query<ClaimedInvestigation>(
    `SELECT n.id, n.incident_id AS "incidentId", n.cluster, n.state, n.end_reason AS "endReason"
       FROM incidents i JOIN investigations n ON n.incident_id = i.id
      WHERE n.id = $1 AND n.state IN ('Concluded', 'NoConclusion', 'BudgetExhausted') AND i.state = 'Investigating'
        AND NOT EXISTS (SELECT 1 FROM plans p WHERE p.investigation_id = n.id)
      FOR UPDATE OF i SKIP LOCKED`,
    [id],
  );
  return row;
}

/** A finding with who said it: rules plan by themselves, a model's finding is put to a planner. */
export type StoredFinding = PlannableFinding & { readonly rule: string | null };

export async function findingsOf(tx: Sql, investigationId: string): Promise<readonly StoredFinding[]> {
  const rows = await tx.query<{
    id: string;
    statement: string;
    certainty: Certainty;
    cause: Cause;
    rule: string | null;
    is_primary: boolean;
    status: 'grounded' | 'dropped';
  }>(
    'SELECT id, statement, certainty, rule, cause, is_primary, status FROM findings WHERE investigation_id = $1 ORDER BY ordinal',
    [investigationId],
  );
  return rows.map(({ is_primary: primary, ...finding }) => ({ ...finding, primary }));
}
