import type { Conclusion, InvestigationSubject, ToolAnswer, ToolCall } from '../investigation/investigator.ts';

/**
 * The only way in which anybody who investigates learns anything: each call is one recorded read. A call that fails, is denied, or is
 * none that exists is answered with words and a gap, and counts. Rejects only when the investigation itself is over: its budget is used up,
 * its lease is lost, it was stopped, or the journal cannot be written, since nothing may be read that is not recorded.
 */
export interface Recorder {
  call(call: ToolCall): Promise<ToolAnswer<unknown>>;
}

/**
 * Somebody who looks into an incident and ends with claims that quote what was recorded. Code checks the quotations afterwards, whoever
 * made them. Rejects with the signal's reason once it is aborted.
 */
export interface Investigator {
  readonly executor: 'Rules' | 'InProcess';
  investigate(subject: InvestigationSubject, recorder: Recorder, signal: AbortSignal): Promise<Conclusion>;
}
