import type { Conclusion, InvestigationSubject, ToolAnswer, ToolCall } from '../investigation/investigator.ts';
import type { PromptHead } from '../model/head.ts';
import type { ToolDefinition } from '../model/message.ts';
import type { Lease } from './leases.ts';

/**
 * The only way in which anybody who investigates learns anything: each call is one recorded read. A call that fails, is denied, or is
 * none that exists is answered with words and a gap, and counts. Rejects only when the investigation itself is over: its budget is used up,
 * its lease is lost, it was stopped, or the journal cannot be written, since nothing may be read that is not recorded.
 */
export interface Recorder {
  /** `fresh`: read again, although an equal call was answered before. */
  call(call: ToolCall, options?: { readonly fresh: boolean }): Promise<ToolAnswer<unknown>>;
}

/** The run on whose behalf somebody investigates. `turn` is there where a model may be asked; `endsAtMs` is by the monotonic clock of the process. */
export interface InvestigationRun {
  readonly investigationId: string;
  readonly attempt: number;
  readonly lease: Lease;
  readonly endsAtMs: number;
  readonly turn?: { readonly id: string; readonly head: PromptHead; readonly tools: readonly ToolDefinition[] };
  /** Told what is to be kept should the look be broken off from here on; a later word replaces an earlier one. */
  readonly stands?: (conclusion: Conclusion) => void;
}

/** What a turn of this investigator is frozen with; absent for one that asks no model. */
export interface InvestigatorSeat {
  readonly head: PromptHead;
  readonly tools: readonly ToolDefinition[];
  readonly admission: Readonly<Record<string, unknown>>;
  readonly budgetUsd: number;
}

/**
 * Somebody who looks into an incident and ends with claims that quote what was recorded. Code checks the quotations afterwards, whoever
 * made them. Rejects with the signal's reason once it is aborted.
 */
export interface Investigator {
  readonly executor: 'Rules' | 'InProcess';
  readonly seat?: InvestigatorSeat;
  investigate(
    subject: InvestigationSubject,
    recorder: Recorder,
    signal: AbortSignal,
    run: InvestigationRun,
  ): Promise<Conclusion>;
}
