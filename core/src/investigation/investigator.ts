import type { ClaimedFinding, Gap } from '../finding/finding.ts';
import type { SignalKind } from '../signal/kind.ts';
import type { OwnerRef } from '../signal/observation.ts';

/** What an investigator is told about the incident before it looks. */
export interface InvestigationSubject {
  readonly incidentId: string;
  readonly cluster: string;
  readonly kind: SignalKind;
  readonly title: string;
  readonly namespace?: string;
  readonly owner?: OwnerRef;
  readonly ownerChain: readonly string[];
  readonly nodeName?: string;
  readonly firstSignalAt: Date;
  readonly signals: readonly {
    readonly kind: SignalKind;
    readonly reason: string;
    readonly message: string;
    readonly podName?: string;
    readonly source: string;
  }[];
  readonly now: Date;
}

/** Raised to the recorder by whoever looks; ends as one row of the journal. */
export interface ToolCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/**
 * The recorded answer. `text` is exactly what was stored and what citations are checked against: redacted, digested, capped.
 * `value` is the typed reading for rules, from the same bytes. `gap` is set when nothing could be read.
 */
export interface ToolAnswer<Value> {
  readonly stepId: string;
  readonly text: string;
  readonly value?: Value;
  readonly gap?: Gap;
  readonly tainted: boolean;
}

export interface Conclusion {
  readonly findings: readonly ClaimedFinding[];
  readonly gaps: readonly Gap[];
  readonly summary: string;
}

/** Why an investigation ended. */
export const INVESTIGATION_STATES = [
  'Queued',
  'Running',
  'Concluded',
  'NoConclusion',
  'BudgetExhausted',
  'Faulted',
  'Stopped',
] as const;
export type InvestigationState = (typeof INVESTIGATION_STATES)[number];
