/**
 * The incident's states.
 *
 * - Detected: opened by a signal, not yet looked at. Left by triage.
 * - Triaging: the pure triage verdict is being written. Left at once.
 * - Suppressed (terminal): triage found a reason to do nothing.
 * - Investigating: an investigation, its plan and its policy verdict are being made.
 * - AwaitingApproval: a proposal is open; a person decides, or the clock does.
 * - Acting: an admitted action is being sent, or its outcome read back.
 * - Verifying: the action is done; scheduled checks, and where needed the undo, are running.
 * - Resolved (terminal), Expired (terminal).
 * - Escalated: a person has it; open. By itself it is only investigated again, when the facts have changed.
 */
export const INCIDENT_STATES = [
  'Detected',
  'Triaging',
  'Suppressed',
  'Investigating',
  'AwaitingApproval',
  'Acting',
  'Verifying',
  'Resolved',
  'Escalated',
  'Expired',
] as const;
export type IncidentState = (typeof INCIDENT_STATES)[number];

export const TERMINAL_INCIDENT_STATES: readonly IncidentState[] = ['Suppressed', 'Resolved', 'Expired'];

export const SUPPRESSED_REASONS = ['Duplicate', 'Flapping', 'Maintenance', 'SelfCaused', 'Storm'] as const;
export type SuppressedReason = (typeof SUPPRESSED_REASONS)[number];

/** Why an incident is in a person's hands. Sub-reasons of VerificationFailed say what became of the undo. */
export const ESCALATION_REASONS = [
  'SelfSignal',
  'Storm',
  'FlapMeta',
  'AgentOff',
  'BudgetExhausted',
  'LowConfidence',
  'PolicyDeny',
  'NoPlanProduced',
  'Quarantined',
  'GroundingRejected',
  'PlannerTruncated',
  'ContextOverflow',
  'Faulted',
  'UpstreamCause',
  'Stopped',
  'ObserveOnly',
  'DryRunFailed',
  'ApprovalTimeout',
  'Denied',
  'AdmissionRefused',
  'ActionFailed',
  'Unsupported',
  'OutcomeUnknown',
  'StabilityGate',
  'DryRunOnly',
  'VerificationFailed',
  'VerificationInconclusive',
] as const;
export type EscalationReason = (typeof ESCALATION_REASONS)[number];

export const ROLLBACK_SUB_REASONS = [
  'RolledBack',
  'RollbackFailed',
  'RollbackBlocked',
  'RollbackUnknown',
  'NothingToUndo',
] as const;
export type RollbackSubReason = (typeof ROLLBACK_SUB_REASONS)[number];

export const RESOLUTION_SOURCES = ['verifier', 'human', 'quiet', 'parent'] as const;
export type ResolutionSource = (typeof RESOLUTION_SOURCES)[number];

/** One legal transition; `from: ''` is creation. The database refuses every other pair. */
export interface Edge<State extends string> {
  readonly edge: string;
  readonly from: State | '';
  readonly to: State;
}

const QUIETABLE: readonly IncidentState[] = ['Detected', 'Triaging', 'Investigating', 'AwaitingApproval', 'Escalated'];
const CLOSABLE: readonly IncidentState[] = [...QUIETABLE, 'Acting', 'Verifying'];

function from(
  edge: IncidentEdge,
  states: readonly IncidentState[],
  to: IncidentState,
): readonly (Edge<IncidentState> & { edge: IncidentEdge })[] {
  return states.map((state) => ({ edge, from: state, to }));
}

/** Names of the transitions; a name may leave from several states but always enters one. */
export const INCIDENT_EDGE_NAMES = [
  'I1',
  'I2',
  'I3',
  'I4',
  'I5',
  'I6',
  'I7',
  'I8',
  'I9',
  'I10',
  'I11',
  'I12',
  'I13',
  'I14',
  'I15',
  'I16',
  'I17',
  'I18',
  'I19',
  'I20',
  'I21',
  'I22',
  'I23',
] as const;
export type IncidentEdge = (typeof INCIDENT_EDGE_NAMES)[number];

/** Every legal transition of an incident, with what triggers it. */
export const INCIDENT_EDGES: readonly (Edge<IncidentState> & { readonly edge: IncidentEdge })[] = [
  { edge: 'I1', from: '', to: 'Detected' }, // a signal that no open incident covers
  { edge: 'I2', from: 'Detected', to: 'Triaging' },
  { edge: 'I3', from: 'Triaging', to: 'Suppressed' }, // pure triage verdict
  { edge: 'I4', from: 'Triaging', to: 'Escalated' }, // triage: self signal, storm, flap meta, agent off
  { edge: 'I5', from: 'Triaging', to: 'Investigating' },
  { edge: 'I6', from: 'Investigating', to: 'Escalated' }, // nothing to do, or not allowed to
  { edge: 'I7', from: 'Investigating', to: 'AwaitingApproval' }, // policy asks for a person
  { edge: 'I8', from: 'Investigating', to: 'Acting' }, // policy allows and admission took it
  { edge: 'I9', from: 'Investigating', to: 'Investigating' }, // requeue after a lost owner
  { edge: 'I10', from: 'AwaitingApproval', to: 'Acting' }, // approved and admitted
  { edge: 'I11', from: 'AwaitingApproval', to: 'Escalated' }, // timeout, denial, or admission refused
  { edge: 'I12', from: 'Acting', to: 'Verifying' }, // the last action is executed
  { edge: 'I13', from: 'Acting', to: 'Escalated' }, // failed, unsupported, unknown after readback, gate, dry run only
  { edge: 'I14', from: 'Verifying', to: 'Resolved' }, // the last check passed
  { edge: 'I15', from: 'Verifying', to: 'Escalated' }, // the last check failed; the undo is over
  { edge: 'I16', from: 'Verifying', to: 'Escalated' }, // the last check could not tell; nothing is undone
  { edge: 'I17', from: 'Escalated', to: 'Investigating' }, // a person asks for another investigation, or the facts have changed
  ...from('I18', CLOSABLE, 'Resolved'), // a person closes with a reason
  ...from('I19', QUIETABLE, 'Resolved'), // the signal is gone and stayed quiet
  ...from('I20', QUIETABLE, 'Expired'), // no signal for a day
  ...from('I21', CLOSABLE, 'Resolved'), // the incident it was absorbed into is resolved
  { edge: 'I22', from: 'Escalated', to: 'AwaitingApproval' }, // a person asks for a new revision of the proposal
  { edge: 'I23', from: 'AwaitingApproval', to: 'AwaitingApproval' }, // target, policy or switch moved; new revision made
];

export type EdgeVerdict =
  | { readonly kind: 'legal'; readonly to: IncidentState }
  | { readonly kind: 'illegal'; readonly reason: 'illegal-edge'; readonly message: string };

/** Whether `edge` may be taken from `from`, and where it leads. */
export function judgeIncidentEdge(edge: IncidentEdge, from: IncidentState | ''): EdgeVerdict {
  const found = INCIDENT_EDGES.find((e) => e.edge === edge && e.from === from);
  if (found !== undefined) return { kind: 'legal', to: found.to };
  return {
    kind: 'illegal',
    reason: 'illegal-edge',
    message: `expected a transition allowed from ${from === '' ? 'nothing' : from}, found ${edge}`,
  };
}
