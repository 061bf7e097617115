import { unanswered } from '@hephaisto/policy/decide';
import { type GateResult, MOMENTARY_ONCE_DECIDED } from '@hephaisto/policy/gate';
import { type ActionRow, moveAction } from '../../act/action-row.ts';
import { admit } from '../../act/admission.ts';
import { auditAction } from '../../act/audit.ts';
import { commit } from '../../act/commit.ts';
import { endUnsupported } from '../../act/dead-letter.ts';
import type { ActingDeps } from '../../act/deps.ts';
import { type Judgement, judge } from '../../act/judge.ts';
import { isInForce } from '../../act/policy-in-force.ts';
import { approvalOf, latestProposal, type ProposalRow } from '../../act/proposal.ts';
import { BY_POLICY } from '../../act/settle-open.ts';
import type { HeldLease } from '../../act/under-lease.ts';
import { nudge } from '../stage.ts';

type Why = { readonly reason: string; readonly message: string };

/** An approved action, asked about once more on fresh facts and admitted, or refused with why. True when it moved. */
export async function admitApproved(deps: ActingDeps, held: HeldLease, action: ActionRow): Promise<boolean> {
  if (action.state !== 'Approved') return false;
  if (action.request === undefined) return await endUnsupported(deps, held, action.id, action.incidentId);
  const proposal = await latestProposal(deps.db, action.id);
  if (proposal?.state !== 'Approved') return false;
  const approval = await approvalOf(deps.db, proposal);
  const judged = await judge(deps, { ...action, request: action.request }, { approval });
  const against = objection(proposal, judged);
  const patience = deps.settings.patienceMs + (judged.input.rule?.podAge ?? 0);
  // Approved under a newer policy than ours: a replica that has it decides, unless there is none.
  if (against?.reason === 'policy_moved' && action.stateAgeMs < patience)
    if (!(await isInForce(deps.db, judged.loaded.hash))) return false;
  if (against !== undefined) {
    if (against.passing && action.stateAgeMs < patience) return false;
    return await refuse(deps, held, action, against);
  }
  const admission = await commit(deps, held, action, async (tx) => {
    const result = await admit(tx, deps, {
      actionId: action.id,
      judged,
      approvedBy: approval.by,
      proposalId: proposal.id,
    });
    if (result.kind === 'admitted') {
      await deps.incidents.transition(tx, {
        ...BY_POLICY,
        incidentId: action.incidentId,
        edge: 'I10',
        reason: 'approved',
        data: { action: action.id, proposal: proposal.id, approvedBy: approval.by },
      });
      await nudge(tx, 'act');
    }
    return result;
  });
  await deps.faults.hit('admit:admitted');
  if (admission.kind === 'admitted') {
    deps.metrics.count('policy_decisions_total', { verdict: 'Allow', reason: 'approved' });
    return true;
  }
  if (admission.reason === 'already-handled') return false;
  return await refuse(deps, held, action, admission);
}

/** What stands against an approval now. `passing`: a moment later it may not; an approval need not die of a moment. */
function objection(
  proposal: ProposalRow,
  { facts, hashes, decision, loaded, input }: Judgement,
): (Why & { readonly passing: boolean }) | undefined {
  if (facts.targetGone) return { reason: 'target_gone', message: 'the target no longer exists', passing: false };
  if (hashes !== undefined && hashes.spec !== proposal.target_spec_sha256)
    return { reason: 'target_moved', message: 'the target was changed since the proposal was made', passing: false };
  if (loaded.hash !== proposal.policy_hash)
    return { reason: 'policy_moved', message: 'the policy was changed since the proposal was made', passing: false };
  if (decision.decision === 'Allow') return undefined;
  const closed = decision.gates.filter(({ verdict }) => verdict === 'deny');
  // A gate that asks for the very approval that was given is no objection.
  const asking = unanswered(decision.gates, input.approval);
  const against = [closed, asking].find((gates) => gates.length > 0) ?? decision.gates.filter(isAsking);
  return {
    reason: against[0]?.code ?? 'not_allowed',
    message: against.map(({ message }) => message).join('; '),
    passing: against.every(({ code }) => code !== 'ok' && MOMENTARY_ONCE_DECIDED.includes(code)),
  };
}

function isAsking({ verdict }: GateResult): boolean {
  return verdict === 'ask';
}

async function refuse(deps: ActingDeps, held: HeldLease, action: ActionRow, why: Why): Promise<boolean> {
  await commit(deps, held, action, async (tx) => {
    await moveAction(tx, action.id, 'Approved', 'Refused', { reasons: [why.reason] });
    await auditAction(tx, action, 'action.refuse', BY_POLICY, { reason: why.reason });
    await deps.incidents.transition(tx, {
      ...BY_POLICY,
      incidentId: action.incidentId,
      edge: 'I11',
      reason: why.reason,
      escalationReason: 'AdmissionRefused',
      data: { action: action.id, message: why.message },
    });
  });
  await deps.faults.hit('admit:refused');
  deps.metrics.count('policy_decisions_total', { verdict: 'Deny', reason: why.reason });
  return true;
}
