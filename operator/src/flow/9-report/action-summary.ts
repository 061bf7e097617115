import type { ActionState } from '@hephaisto/core/action/machine';
import type { Risk } from '@hephaisto/core/action/types';
import type { ActionSummary } from '@hephaisto/core/report/action';
import { type ActionShape, facts, iso } from './rows.ts';

export interface ActionRow extends ActionShape {
  readonly action_id: string;
  readonly risk: Risk;
  readonly action_state: ActionState;
  readonly action_state_since: Date;
  readonly mode: string | null;
  readonly decision: string | null;
  readonly decision_reasons: string[];
  readonly action_policy_hash: string | null;
  readonly action_created_at: Date;
  readonly admitted_at: Date | null;
  readonly executed_at: Date | null;
  readonly incident_id: string;
  readonly incident_number: number;
  readonly incident_title: string;
  readonly incident_state: string;
  readonly incident_namespace: string | null;
}

/** Of `actions a` joined with `incidents i`. */
export const ACTION_COLUMNS = `a.id AS action_id, a.type, a.params, a.workload_kind, a.workload_namespace, a.workload_name, a.target_kind,
  a.target_namespace, a.target_name, a.target_uid, a.risk, a.state AS action_state, a.state_since AS action_state_since, a.mode, a.decision,
  a.decision_reasons, a.policy_hash AS action_policy_hash, a.created_at AS action_created_at, a.admitted_at, a.executed_at,
  i.id AS incident_id, i.number AS incident_number, i.title AS incident_title, i.state AS incident_state, i.namespace AS incident_namespace`;

export function actionSummaryOf(row: ActionRow): ActionSummary {
  return {
    id: row.action_id,
    incident: {
      id: row.incident_id,
      number: row.incident_number,
      title: row.incident_title,
      state: row.incident_state,
    },
    type: row.type,
    workload: { kind: row.workload_kind, namespace: row.workload_namespace, name: row.workload_name },
    target: { kind: row.target_kind, namespace: row.target_namespace, name: row.target_name, uid: row.target_uid },
    params: facts(row.params) ?? {},
    risk: row.risk,
    state: row.action_state,
    stateSince: iso(row.action_state_since),
    mode: row.mode,
    decision: row.decision,
    decisionReasons: row.decision_reasons,
    policyHash: row.action_policy_hash,
    createdAt: iso(row.action_created_at),
    admittedAt: iso(row.admitted_at),
    executedAt: iso(row.executed_at),
  };
}
