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
  /** Absent where no model is configured. */
  readonly model?: ModelNote;
}

/** Whether a model looked, and why not. The result of the rules stands either way. */
export const MODEL_NOTE_REASONS = [
  'concluded',
  'not-configured',
  'proven-by-rules',
  'unavailable',
  'over-budget',
  'refused',
  'truncated',
  'context-overflow',
  'stalled',
  'invalid-conclusion',
  'stopped',
] as const;
export type ModelNoteReason = (typeof MODEL_NOTE_REASONS)[number];

export interface ModelNote {
  readonly looked: boolean;
  readonly reason: ModelNoteReason;
  readonly message: string;
  readonly provider?: string;
  readonly model?: string;
  /** What ended the model's look before it had concluded by itself; it then concluded with what it had. */
  readonly exhausted?: 'steps' | 'time' | 'usd' | 'calls';
  /** Claimed causes that no reading bears out, by the finding's place among the model's. */
  readonly unresolved?: readonly { readonly ordinal: number; readonly reason: string; readonly message: string }[];
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
