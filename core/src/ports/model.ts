import type { ModelFailure } from '../model/failure.ts';
import type { ModelAnswer, ModelMessage, ModelRequest } from '../model/message.ts';
import type { Lease } from './leases.ts';

/** What a call is made for; budgets treat `grace` as the one that was held back for. */
export const CALL_PURPOSES = ['turn', 'grace', 'plan'] as const;
export type CallPurpose = (typeof CALL_PURPOSES)[number];

/** The turn on whose behalf a call is made, and the lease under which its rows are written. */
export interface ModelTurn {
  readonly turnId: string;
  readonly investigationId: string;
  readonly attempt: number;
  readonly lease: Lease;
}

export interface ModelCall {
  readonly turn: ModelTurn;
  readonly purpose: CallPurpose;
  readonly request: ModelRequest;
  /** Messages of the request that no earlier call of the turn has carried; journaled before anything is sent. */
  readonly appended: readonly ModelMessage[];
  /** Milliseconds that the call may take, with all its tries. */
  readonly withinMs: number;
  readonly signal: AbortSignal;
}

export type ModelOutcome = { readonly kind: 'answer'; readonly answer: ModelAnswer } | ModelFailure;

/** Which model answers, from where. Shown to people; holds no key. */
export interface ModelIdentity {
  readonly provider: string;
  readonly model: string;
  /** Host that everything is sent to. */
  readonly host: string;
}

/** One earlier call of the turn that was answered, as the journal has it. */
export interface JournaledCall {
  readonly appended: readonly ModelMessage[];
  readonly answer: ModelMessage;
}

/**
 * The only way to a model. Each try is one usage row, begun in a transaction that checks lease and budgets and holds the bytes to be sent,
 * finished when it is over. Never throws for what a server does: that is a `failure`. Rejects with the signal's reason when aborted, and when
 * the journal cannot be written, since nothing may be sent that is not recorded.
 */
export interface ModelChannel {
  readonly identity: ModelIdentity;
  call(call: ModelCall): Promise<ModelOutcome>;
  /** The answered calls of a turn in their order, for whoever takes it up. */
  journal(turnId: string): Promise<readonly JournaledCall[]>;
}
