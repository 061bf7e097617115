import { describeAction } from '@hephaisto/core/action/catalogue';
import type { AnyActionRequest, Inverse } from '@hephaisto/core/action/types';
import { TARGET_RESOURCES } from '@hephaisto/core/action/workload-resource';
import type { EscalationReason } from '@hephaisto/core/incident/machine';
import type { Sql } from '@hephaisto/core/ports/database';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import { QUESTION_OF_ATTEMPT } from '@hephaisto/verifier/assess';
import { type ActionRow, moveAction } from '../../act/action-row.ts';
import { auditAction } from '../../act/audit.ts';
import type { ActingDeps } from '../../act/deps.ts';
import { approvalOf, latestProposal } from '../../act/proposal.ts';
import { nudge } from '../stage.ts';

export type TypedAction = ActionRow & { readonly request: AnyActionRequest };
export const BY_ACTOR = { actor: SERVICE_PRINCIPALS.actor, origin: 'core' } as const;

/** The change stands: checks are written down with their times, in the transaction that says so. */
export async function finishExecuted(
  tx: Sql,
  deps: ActingDeps,
  action: TypedAction,
  from: 'Executing' | 'Unknown',
  after: { readonly inverse?: Inverse; readonly postState: Readonly<Record<string, unknown>> },
): Promise<void> {
  await moveAction(tx, action.id, from, 'Executed', { executedNow: true, ...after });
  await moveAction(tx, action.id, 'Executed', 'Verifying');
  const { times } = deps.policy.current().policy.verification;
  for (const [index, question] of QUESTION_OF_ATTEMPT.entries())
    await tx.execute(
      `INSERT INTO verifications (action_id, subject, attempt, question, due_at)
       VALUES ($1, 'action', $2, $3, app_now() + $4 * interval '1 millisecond') ON CONFLICT DO NOTHING`,
      [action.id, index + 1, question, times[index] ?? times[2]],
    );
  await auditAction(tx, action, 'action.execute', BY_ACTOR, { outcome: 'executed' });
  await deps.incidents.transition(tx, {
    ...BY_ACTOR,
    incidentId: action.incidentId,
    edge: 'I12',
    reason: 'executed',
    data: { action: action.id, type: action.type, sentence: describeAction(action.request) },
  });
  await nudge(tx, 'verify');
}

/** The act is over without effect, or without certainty. An incident that has meanwhile ended otherwise stays ended. */
export async function escalateFromActing(
  tx: Sql,
  deps: ActingDeps,
  action: TypedAction,
  escalationReason: EscalationReason,
  reason: string,
  data: Readonly<Record<string, unknown>>,
): Promise<void> {
  await auditAction(tx, action, 'action.execute', BY_ACTOR, { outcome: escalationReason, reason });
  await deps.incidents.transition(tx, {
    ...BY_ACTOR,
    incidentId: action.incidentId,
    edge: 'I13',
    reason,
    escalationReason,
    data: { ...data, action: action.id },
  });
}

/** Who stands behind the action, for stamps and events. */
export async function approversOf(sql: Sql, action: ActionRow): Promise<readonly string[]> {
  const proposal = await latestProposal(sql, action.id);
  return proposal?.state === 'Approved' ? (await approvalOf(sql, proposal)).by : [];
}

/** Tells whoever looks at the target who did it and why. A failure is noted and changes nothing. */
export async function mirrorEvent(
  deps: ActingDeps,
  action: TypedAction,
  attemptId: string,
  what: { readonly reason: 'RemediationApplied' | 'RemediationRolledBack'; readonly approvedBy: readonly string[] },
): Promise<void> {
  const { target } = action.request;
  const who = what.approvedBy.length === 0 ? 'policy alone' : what.approvedBy.join(', ');
  const did =
    what.reason === 'RemediationApplied' ? describeAction(action.request) : `undo: ${describeAction(action.request)}`;
  const sent = await deps.writer.event({
    regarding: { ...target, apiVersion: TARGET_RESOURCES[target.kind]?.apiVersion ?? 'v1' },
    reason: what.reason,
    action: action.type,
    note: `hephaisto: ${did}; approved by ${who}; action ${action.id}, incident ${action.incidentId}`,
    type: 'Normal',
  });
  await deps.faults.hit('act:event-sent');
  if (sent.kind === 'failure') {
    deps.log.warn('the action could not be mirrored as an event', { action: action.id, reason: sent.reason });
    return;
  }
  await deps.db.execute('UPDATE action_attempts SET k8s_event = $2 WHERE id = $1', [attemptId, sent.value]);
  await deps.faults.hit('act:event-mirrored');
}
