import type { Cause, Certainty } from '@hephaisto/core/finding/finding';
import {
  MAX_REINVESTIGATIONS,
  PAUSE_FACTOR,
  REINVESTIGATED_REASONS,
  type RuleConclusion,
} from '@hephaisto/core/incident/reinvestigate';
import type { Sql } from '@hephaisto/core/ports/database';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import type { SignalKind } from '@hephaisto/core/signal/kind';

/** An escalated incident of which something was heard since its latest investigation. */
export interface HeardOf {
  readonly id: string;
  readonly cluster: string;
  readonly investigation: string;
  readonly reinvestigations: number;
  readonly newKinds: readonly SignalKind[];
}

const HEARD_OF = `SELECT i.id, i.cluster, n.id AS investigation, x.reinvestigations, array(
    SELECT DISTINCT s.kind FROM signals s WHERE s.incident_id = i.id AND s.status = 'firing' AND s.received_at > n.started_at
      AND NOT EXISTS (SELECT 1 FROM signals b WHERE b.incident_id = i.id AND b.kind = s.kind AND b.received_at <= n.started_at)) AS "newKinds"
  FROM incidents i
  JOIN LATERAL (SELECT id, state, started_at, ended_at FROM investigations WHERE incident_id = i.id ORDER BY attempt DESC LIMIT 1) n
    ON n.state IN ('Concluded', 'NoConclusion', 'BudgetExhausted') AND i.last_signal_at > n.ended_at
  CROSS JOIN LATERAL (SELECT count(*)::int AS reinvestigations FROM incident_events e
    WHERE e.incident_id = i.id AND e.edge = 'I17' AND e.actor = '${SERVICE_PRINCIPALS.investigator}') x
  WHERE i.state = 'Escalated' AND i.escalation_reason = ANY($1::text[]) AND NOT i.is_self AND NOT i.is_meta AND i.absorbed_by IS NULL
    AND x.reinvestigations < ${MAX_REINVESTIGATIONS}
    AND n.ended_at <= app_now() - $2::float8 * power(${PAUSE_FACTOR}, x.reinvestigations) * interval '1 millisecond'
    AND EXISTS (SELECT 1 FROM signals s WHERE s.incident_id = i.id AND s.status = 'firing')
    AND NOT EXISTS (SELECT 1 FROM actions a JOIN proposals p ON p.action_id = a.id WHERE a.incident_id = i.id AND p.state = 'Open')`;

/** Those whose pause is over, without the ones named. An incident with an open proposal is a person's to decide. */
export function heardOf(
  sql: Sql,
  pauseMs: number,
  besides: readonly string[],
  limit: number,
): Promise<readonly HeardOf[]> {
  return sql.query<HeardOf>(`${HEARD_OF} AND NOT (i.id = ANY($3::uuid[])) ORDER BY n.ended_at LIMIT $4`, [
    REINVESTIGATED_REASONS,
    pauseMs,
    besides,
    limit,
  ]);
}

/** The same under the incident's lock, unless something moved it or another replica has it. */
export async function lockHeardOf(tx: Sql, pauseMs: number, { id, investigation }: HeardOf): Promise<boolean> {
  const rows = await tx.query(`${HEARD_OF} AND i.id = $3 AND n.id = $4 FOR UPDATE OF i SKIP LOCKED`, [
    REINVESTIGATED_REASONS,
    pauseMs,
    id,
    investigation,
  ]);
  return rows.length === 1;
}

export function ruleConclusions(sql: Sql, investigationId: string): Promise<readonly RuleConclusion[]> {
  return sql.query<{ readonly rule: string; readonly certainty: Certainty; readonly cause: Cause }>(
    `SELECT rule, certainty, cause FROM findings WHERE investigation_id = $1 AND rule IS NOT NULL AND status = 'grounded'`,
    [investigationId],
  );
}
