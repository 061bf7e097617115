import { escalationWords } from '../incident/escalation-words.ts';
import type { IncidentState } from '../incident/machine.ts';

export interface NextStepFacts {
  readonly state: IncidentState;
  readonly escalationReason: string | null;
  readonly suppressedReason: string | null;
  readonly resolutionSource: string | null;
  readonly rollbackSubReason: string | null;
  readonly assignedTo: string | null;
  readonly recovered: boolean;
  readonly proposal: { readonly state: string; readonly approvals: number; readonly quorum: number } | null;
}

/** What happens next, or who has it, in one sentence for somebody who was just woken. */
export function nextStep(facts: NextStepFacts): string {
  switch (facts.state) {
    case 'Detected':
    case 'Triaging':
      return 'being sorted';
    case 'Suppressed':
      return `nothing: suppressed (${facts.suppressedReason ?? 'no reason recorded'})`;
    case 'Investigating':
      return 'looking for the cause';
    case 'AwaitingApproval':
      return awaiting(facts.proposal);
    case 'Acting':
      return 'carrying out the approved change';
    case 'Verifying':
      return 'checking whether it helped';
    case 'Resolved':
      return `nothing: resolved by ${facts.resolutionSource ?? 'somebody'}`;
    case 'Expired':
      return 'nothing: no signal for a day';
    case 'Escalated':
      return escalated(facts);
  }
}

function awaiting(proposal: NextStepFacts['proposal']): string {
  if (proposal === null) return 'waiting for a decision';
  const left = proposal.quorum - proposal.approvals;
  return left > 1 ? `waiting for ${left} approvals` : 'waiting for an approval';
}

function escalated(facts: NextStepFacts): string {
  const who = facts.assignedTo === null ? 'a person has to look' : `${facts.assignedTo} has it`;
  const recovered = facts.recovered ? '; recovered, closes by itself unless it fires again' : '';
  const undo = facts.rollbackSubReason === null ? '' : `, ${facts.rollbackSubReason}`;
  return `${who}: ${facts.escalationReason === null ? 'no reason recorded' : escalationWords(facts.escalationReason)}${undo}${recovered}`;
}
