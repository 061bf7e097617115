import type { EscalationReason } from './machine.ts';

/** Why a person has it, for somebody who does not know the codes. */
export const ESCALATION_WORDS: Readonly<Record<EscalationReason, string>> = {
  SelfSignal: 'it is about Hephaisto itself, which never repairs itself',
  Storm: 'too much happens at once to look at each by itself',
  FlapMeta: 'it comes and goes; acting on it would only add to that',
  AgentOff: 'investigating is switched off',
  BudgetExhausted: 'the budget for looking was used up',
  LowConfidence: 'the cause is not sure enough to act on',
  PolicyDeny: 'policy forbids the action that would follow',
  NoPlanProduced: 'no safe action follows from the cause',
  Quarantined: 'the same action did not help before',
  GroundingRejected: 'the claims could not be backed by what was read',
  PlannerTruncated: 'the plan was cut off before its end',
  ContextOverflow: 'there was more to read than fits',
  Faulted: 'the investigation failed; that is ours',
  UpstreamCause: 'the cause lies elsewhere; treating the symptom here would hide it',
  Stopped: 'a person stopped the investigation',
  ObserveOnly: 'the mode is observe: nothing is ever changed',
  DryRunFailed: 'the API server would refuse the change',
  ApprovalTimeout: 'nobody decided in time',
  Denied: 'the proposal was denied',
  AdmissionRefused: 'the proposal no longer held, or the last check before acting refused it',
  ActionFailed: 'the API server refused the change',
  Unsupported: 'the action is not one that this version can do',
  OutcomeUnknown: 'it was sent, and what came of it could not be found out',
  StabilityGate: 'the workload was not still enough to act on',
  DryRunOnly: 'the mode is dry run: nothing was changed',
  VerificationFailed: 'the change did not help',
  VerificationInconclusive: 'it could not be told whether the change helped',
};

/** The words, or the code itself where a newer server sends one that is not known here. */
export function escalationWords(reason: string): string {
  return Object.hasOwn(ESCALATION_WORDS, reason) ? ESCALATION_WORDS[reason as EscalationReason] : reason;
}
