import type { ActionState } from '@hephaisto/core/action/machine';
import type { Risk } from '@hephaisto/core/action/types';
import type { Certainty } from '@hephaisto/core/finding/finding';
import type { IncidentState } from '@hephaisto/core/incident/machine';
import type { ProposalState } from '@hephaisto/core/proposal/machine';
import type { Severity } from '@hephaisto/core/signal/kind';
import type { IconName } from './icons.tsx';

export type Tone = 'bad' | 'warn' | 'good' | 'ask' | 'run' | 'calm';

/** How a state is shown: never by one of glyph, word and colour alone. */
export interface Look {
  readonly word: string;
  readonly icon: IconName;
  readonly tone: Tone;
}

export const SEVERITY_LOOKS: Readonly<Record<Severity, Look>> = {
  critical: { word: 'Critical', icon: 'octagon', tone: 'bad' },
  warning: { word: 'Warning', icon: 'triangle', tone: 'warn' },
  info: { word: 'Info', icon: 'circle', tone: 'run' },
};

export const INCIDENT_LOOKS: Readonly<Record<IncidentState, Look>> = {
  Detected: { word: 'Detected', icon: 'dot', tone: 'warn' },
  Triaging: { word: 'Triaging', icon: 'dot', tone: 'warn' },
  Suppressed: { word: 'Suppressed', icon: 'slash', tone: 'calm' },
  Investigating: { word: 'Investigating', icon: 'search', tone: 'run' },
  AwaitingApproval: { word: 'Needs approval', icon: 'hand', tone: 'ask' },
  Acting: { word: 'Acting', icon: 'bolt', tone: 'run' },
  Verifying: { word: 'Verifying', icon: 'pulse', tone: 'run' },
  Resolved: { word: 'Resolved', icon: 'check', tone: 'good' },
  Escalated: { word: 'Needs a person', icon: 'person', tone: 'bad' },
  Expired: { word: 'Expired', icon: 'hourglass', tone: 'calm' },
};

export const PROPOSAL_LOOKS: Readonly<Record<ProposalState, Look>> = {
  Open: { word: 'Needs approval', icon: 'hand', tone: 'ask' },
  Approved: { word: 'Approved', icon: 'check', tone: 'good' },
  Denied: { word: 'Denied', icon: 'cross', tone: 'bad' },
  Expired: { word: 'Expired', icon: 'hourglass', tone: 'calm' },
  Superseded: { word: 'Replaced by a new revision', icon: 'change', tone: 'calm' },
  Void: { word: 'Void', icon: 'slash', tone: 'calm' },
};

const act = (word: string, icon: IconName, tone: Tone): Look => ({ word, icon, tone });

export const ACTION_LOOKS: Readonly<Record<ActionState, Look>> = {
  Proposed: act('Proposed', 'dot', 'calm'),
  Denied: act('Refused by policy', 'shield', 'bad'),
  AwaitingApproval: act('Needs approval', 'hand', 'ask'),
  Approved: act('Approved', 'check', 'run'),
  Rejected: act('Denied by a person', 'cross', 'bad'),
  ApprovalExpired: act('Approval expired', 'hourglass', 'calm'),
  Admitted: act('Admitted', 'check', 'run'),
  Refused: act('Refused at the gate', 'shield', 'bad'),
  Unsupported: act('Unsupported', 'slash', 'calm'),
  DryRunOk: act('Dry run accepted', 'check', 'run'),
  DryRunFailed: act('Dry run refused', 'cross', 'bad'),
  Executing: act('Applying', 'bolt', 'run'),
  Executed: act('Applied', 'bolt', 'run'),
  Failed: act('Failed', 'cross', 'bad'),
  Unknown: act('Outcome unknown, checking', 'question', 'warn'),
  Verifying: act('Verifying', 'pulse', 'run'),
  Verified: act('Verified', 'check', 'good'),
  VerificationFailed: act('Did not help', 'cross', 'bad'),
  RollingBack: act('Undoing', 'undo', 'warn'),
  RolledBack: act('Undone', 'undo', 'warn'),
  RollbackFailed: act('Undo failed', 'cross', 'bad'),
  RollbackUnknown: act('Undo unknown, checking', 'question', 'warn'),
  Inconclusive: act('Acted, not yet better', 'question', 'warn'),
  Withdrawn: act('Withdrawn', 'slash', 'calm'),
};

export const CERTAINTY_WORDS: Readonly<
  Record<Certainty, { readonly word: string; readonly means: string; readonly tone: Tone }>
> = {
  proven: { word: 'Proven', means: 'the evidence leaves no other explanation', tone: 'good' },
  likely: { word: 'Likely', means: 'supported by evidence, not proven', tone: 'ask' },
  possible: { word: 'Possible', means: 'one explanation among others', tone: 'warn' },
  not_established: { word: 'Not established', means: 'nothing read so far shows the cause', tone: 'calm' },
};

export const RISK_WORDS: Readonly<Record<Risk, { readonly word: string; readonly tone: Tone }>> = {
  low: { word: 'Low risk', tone: 'good' },
  medium: { word: 'Medium risk', tone: 'ask' },
  high: { word: 'High risk', tone: 'bad' },
};

const UNKNOWN: Look = { word: 'Unknown', icon: 'question', tone: 'calm' };

/** The look of a word that an older or newer server may send; what is not known is shown as it is. */
export function lookOf(looks: Readonly<Record<string, Look>>, word: string): Look {
  return Object.hasOwn(looks, word) ? (looks[word] ?? UNKNOWN) : { ...UNKNOWN, word };
}

export function riskWords(risk: string): { readonly word: string; readonly tone: Tone } {
  return Object.hasOwn(RISK_WORDS, risk) ? RISK_WORDS[risk as Risk] : { word: `${risk} risk`, tone: 'bad' };
}
