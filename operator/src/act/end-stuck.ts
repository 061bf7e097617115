import type { ActionState } from '@hephaisto/core/action/machine';
import { assertNever } from '@hephaisto/core/assert-never';
import type { EscalationReason } from '@hephaisto/core/incident/machine';
import type { Sql } from '@hephaisto/core/ports/database';
import { type ActionRow, moveAction } from './action-row.ts';
import { openAttempt, recordReadback, settleAttempt, unknownAttempt } from './attempts.ts';
import { auditAction } from './audit.ts';
import type { ActingDeps } from './deps.ts';
import { endUndo } from './end-undo.ts';
import { latestProposal } from './proposal.ts';
import { giveUpRemovals } from './removal-attempts.ts';
import { BY_POLICY, voidProposal } from './settle-open.ts';

export interface StuckWhy {
  /** `unsupported`: the row is no request that this version understands. `dead_letter`: work on it keeps failing. */
  readonly reason: 'unsupported' | 'dead_letter';
  readonly message: string;
}

type Deps = Pick<ActingDeps, 'incidents' | 'ids'>;

/**
 * Ends an action that no stage can work on, whatever state it is in, and gives the incident to a person with the reason. Sends nothing: a call
 * whose outcome is open stays of unknown outcome. The caller holds the incident's and the action's row. True when the action was not over yet.
 */
export async function endStuck(tx: Sql, deps: Deps, action: ActionRow, why: StuckWhy): Promise<boolean> {
  switch (action.state) {
    case 'Proposed':
      await moveAction(tx, action.id, 'Proposed', 'Refused', { reasons: [why.reason] });
      return await escalate(tx, deps, action, 'I6', 'PolicyDeny', why);
    case 'AwaitingApproval': {
      const proposal = await latestProposal(tx, action.id);
      return proposal?.state === 'Open' && (await voidProposal(tx, deps, proposal, action, why));
    }
    case 'Approved':
      await moveAction(tx, action.id, 'Approved', 'Refused', { reasons: [why.reason] });
      return await escalate(tx, deps, action, 'I11', 'AdmissionRefused', why);
    case 'DryRunOk':
      // A dry run that was only shown has ended already.
      if (!action.admitted) return false;
      return await refuseAdmitted(tx, deps, action, why);
    case 'Admitted':
      return await refuseAdmitted(tx, deps, action, why);
    case 'Executing':
      return await endExecuting(tx, deps, action, why);
    case 'Unknown':
      await giveUpReading(tx, action.id, 'execute', why);
      return await escalate(tx, deps, action, 'I13', 'OutcomeUnknown', why);
    case 'Verifying':
      await giveUpRemovals(tx, action.id, why.message);
      await tx.execute(
        `UPDATE verifications SET ran_at = app_now(), result = 'Inconclusive' WHERE action_id = $1 AND subject = 'action' AND ran_at IS NULL`,
        [action.id],
      );
      await moveAction(tx, action.id, 'Verifying', 'Inconclusive');
      return await escalate(tx, deps, action, 'I16', 'VerificationInconclusive', why);
    case 'VerificationFailed':
      await endUndo(tx, deps, BY_POLICY, action, { from: action.state, subReason: 'RollbackBlocked', ...why });
      return true;
    case 'RollingBack':
      return await endRollingBack(tx, deps, action, why);
    case 'RollbackUnknown':
      await giveUpReading(tx, action.id, 'rollback', why);
      await endUndo(tx, deps, BY_POLICY, action, { from: action.state, subReason: 'RollbackUnknown', ...why });
      return true;
    case 'Executed':
    case 'Denied':
    case 'Rejected':
    case 'ApprovalExpired':
    case 'Refused':
    case 'Unsupported':
    case 'DryRunFailed':
    case 'Failed':
    case 'Verified':
    case 'RolledBack':
    case 'RollbackFailed':
    case 'Inconclusive':
    case 'Withdrawn':
      return false;
    default:
      return assertNever(action.state);
  }
}

async function refuseAdmitted(tx: Sql, deps: Deps, action: ActionRow, why: StuckWhy): Promise<boolean> {
  await moveAction(tx, action.id, action.state, 'Refused', { reasons: [why.reason] });
  return await escalate(tx, deps, action, 'I13', 'ActionFailed', why);
}

async function endExecuting(tx: Sql, deps: Deps, action: ActionRow, why: StuckWhy): Promise<boolean> {
  const sent = await settleOpen(tx, action.id, why);
  const to: ActionState = sent ? 'Unknown' : 'Failed';
  await moveAction(tx, action.id, 'Executing', to, sent ? {} : { reasons: [why.reason] });
  return await escalate(tx, deps, action, 'I13', sent ? 'OutcomeUnknown' : 'ActionFailed', why);
}

async function endRollingBack(tx: Sql, deps: Deps, action: ActionRow, why: StuckWhy): Promise<boolean> {
  const sent = await settleOpen(tx, action.id, why);
  await tx.execute(
    `UPDATE verifications SET ran_at = app_now(), result = 'Inconclusive' WHERE action_id = $1 AND subject = 'rollback' AND ran_at IS NULL`,
    [action.id],
  );
  const to = sent ? 'RollbackUnknown' : 'RollbackFailed';
  await endUndo(tx, deps, BY_POLICY, action, { from: 'RollingBack', to, subReason: to, ...why });
  return true;
}

/** A call that was written down may have been sent. True when there was one. */
async function settleOpen(tx: Sql, actionId: string, { message }: StuckWhy): Promise<boolean> {
  const open = await openAttempt(tx, actionId);
  if (open === undefined) return false;
  const harmless = open.phase === 'dry_run';
  await settleAttempt(tx, open.id, harmless ? 'failed' : 'unknown', { message });
  if (!harmless) await recordReadback(tx, open.id, 'inconclusive', message);
  return !harmless;
}

async function giveUpReading(tx: Sql, actionId: string, phase: 'execute' | 'rollback', why: StuckWhy): Promise<void> {
  const attempt = await unknownAttempt(tx, actionId, phase);
  if (attempt !== undefined) await recordReadback(tx, attempt.id, 'inconclusive', why.message);
}

async function escalate(
  tx: Sql,
  deps: Deps,
  action: ActionRow,
  edge: 'I6' | 'I11' | 'I13' | 'I16',
  escalationReason: EscalationReason,
  why: StuckWhy,
): Promise<boolean> {
  await auditAction(tx, action, 'action.refuse', BY_POLICY, { ...why });
  await deps.incidents.transition(tx, {
    ...BY_POLICY,
    incidentId: action.incidentId,
    edge,
    reason: why.reason,
    escalationReason,
    data: { action: action.id, message: why.message },
  });
  return true;
}
