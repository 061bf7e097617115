import type { AnyActionRequest } from '@hephaisto/core/action/types';
import type { EscalationReason } from '@hephaisto/core/incident/machine';
import type { Plan } from '@hephaisto/core/plan/plan';
import type { NoPlanReason } from '@hephaisto/core/plan/vocabulary';
import type { Sql } from '@hephaisto/core/ports/database';
import type { IncidentLog } from '@hephaisto/core/ports/incident-log';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import { cleanJsonText } from '@hephaisto/core/signal/clean-text';
import { nudge } from '../stage.ts';
import type { ClaimedInvestigation } from './due-rows.ts';

export const PLAN_SCHEMA_VERSION = 1;

/** Who made the plan; a planner's turn holds what it was asked and what it said. */
export interface PlanProducer {
  readonly kind: 'rules' | 'planner';
  readonly turnId?: string;
}

/** Reasons that refuse what was proposed, as against there being nothing to propose. */
const REJECTIONS: readonly NoPlanReason[] = [
  'grounding-rejected',
  'invalid-action',
  'planner-truncated',
  'target-not-cited',
  'not-from-finding',
  'unreadable',
];

/** The plan's row with its exact content, and the action it proposes. Nothing is admitted here: the row only says what is wanted. */
export async function commitAction(
  tx: Sql,
  newId: () => string,
  investigation: ClaimedInvestigation,
  plan: Extract<Plan, { kind: 'action' }>,
  producer: PlanProducer,
): Promise<void> {
  const planId = newId();
  await insertPlan(
    tx,
    planId,
    investigation,
    plan,
    { status: 'accepted', rejectReason: null, maxRisk: plan.risk },
    producer,
  );
  await ensureWorkload(tx, investigation.cluster, plan.request);
  const { workload, target, type, params } = plan.request;
  await tx.execute(
    `INSERT INTO actions (id, cluster, plan_id, incident_id, ordinal, workload_namespace, workload_kind, workload_name,
       target_kind, target_namespace, target_name, target_uid, type, params, risk, state, idempotency_key)
     VALUES ($1, $2, $3, $4, 0, $5, $6, $7, $8, $9, $10, $11, $12, $13::jsonb, $14, 'Proposed', $15)`,
    [
      newId(),
      investigation.cluster,
      planId,
      investigation.incidentId,
      workload.namespace,
      workload.kind,
      workload.name,
      target.kind,
      target.namespace,
      target.name,
      target.uid,
      type,
      cleanJsonText(params),
      plan.risk,
      `${planId}:0`,
    ],
  );
  await nudge(tx, 'admit');
}

/** The row that admission locks; its uid is the one last seen. */
async function ensureWorkload(tx: Sql, cluster: string, { workload }: AnyActionRequest): Promise<void> {
  await tx.execute(
    `INSERT INTO workloads (cluster, namespace, kind, name, uid) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (cluster, namespace, kind, name) DO UPDATE SET uid = coalesce(excluded.uid, workloads.uid)`,
    [cluster, workload.namespace, workload.kind, workload.name, workload.uid ?? null],
  );
}

/** No action follows: the incident goes to a person with the cause, and with what they would run. */
export async function commitNone(
  tx: Sql,
  deps: { readonly incidents: IncidentLog; readonly newId: () => string },
  investigation: ClaimedInvestigation,
  plan: Extract<Plan, { kind: 'none' }>,
  escalation: { readonly reason: EscalationReason; readonly causedBy: string | undefined },
  producer: PlanProducer,
): Promise<void> {
  const planId = deps.newId();
  const rejected = REJECTIONS.includes(plan.reason);
  await insertPlan(
    tx,
    planId,
    investigation,
    plan,
    {
      status: rejected ? 'rejected' : 'empty',
      rejectReason: rejected ? plan.reason : null,
      maxRisk: null,
    },
    producer,
  );
  const moved = await deps.incidents.transition(tx, {
    incidentId: investigation.incidentId,
    edge: 'I6',
    reason: plan.reason,
    actor: SERVICE_PRINCIPALS.planner,
    origin: 'core',
    escalationReason: escalation.reason,
    ...(escalation.causedBy === undefined ? {} : { causedBy: escalation.causedBy }),
    data: { plan: planId, investigation: investigation.id, message: plan.message, commands: plan.commands },
  });
  // The incident's row is locked and was seen in Investigating: a refusal here is a mistake of ours, and nothing must be half written.
  if (moved.kind === 'refused') throw new Error(moved.message);
}

async function insertPlan(
  tx: Sql,
  id: string,
  investigation: ClaimedInvestigation,
  plan: Plan,
  row: {
    readonly status: 'accepted' | 'rejected' | 'empty';
    readonly rejectReason: string | null;
    readonly maxRisk: string | null;
  },
  producer: PlanProducer,
): Promise<void> {
  await tx.execute(
    `INSERT INTO plans (id, cluster, incident_id, investigation_id, producer, turn_id, raw, schema_version, status, reject_reason, cited_findings, max_risk)
     VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb, $8, $9, $10, $11::uuid[], $12)`,
    [
      id,
      investigation.cluster,
      investigation.incidentId,
      investigation.id,
      producer.kind,
      producer.turnId ?? null,
      cleanJsonText(plan),
      PLAN_SCHEMA_VERSION,
      row.status,
      row.rejectReason,
      plan.citedFindings,
      row.maxRisk,
    ],
  );
}
