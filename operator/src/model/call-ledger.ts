import type { SpendRefusal } from '@hephaisto/core/model/budget';
import type { FailureReason } from '@hephaisto/core/model/failure';
import type { ModelAnswer, ModelMessage, TokenUsage } from '@hephaisto/core/model/message';
import type { CallPurpose, JournaledCall, ModelTurn } from '@hephaisto/core/ports/model';

export interface CallStart {
  readonly turn: ModelTurn;
  readonly purpose: CallPurpose;
  readonly appended: readonly ModelMessage[];
  readonly body: Uint8Array;
  readonly maxOutputTokens: number;
}

export type Started =
  | { readonly kind: 'started'; readonly usageId: string; readonly inputEstimate: number }
  | { readonly kind: 'refused'; readonly reason: SpendRefusal; readonly message: string };

/** How a call ended. `usage` is the provider's count where it gave one, else ours. */
export interface CallEnd {
  readonly usageId: string;
  readonly turn: ModelTurn;
  readonly outcome: 'ok' | 'error' | 'stalled' | 'aborted' | 'truncated';
  readonly usage: TokenUsage;
  readonly answer?: ModelAnswer;
  readonly errorKind?: FailureReason;
  readonly httpStatus?: number;
  readonly firstByteMs?: number;
}

/** The rows of calls. `start` checks lease and budgets and writes, in one transaction, what is about to leave; `finish` completes it once. */
export interface CallLedger {
  start(call: CallStart): Promise<Started>;
  /** Returns the cost in dollars. */
  finish(end: CallEnd): Promise<number>;
  journal(turnId: string): Promise<readonly JournaledCall[]>;
}
