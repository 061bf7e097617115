import { type FailureReason, failureOfHttp, type ModelFailure } from '@hephaisto/core/model/failure';
import type { HttpTrace } from './transport.ts';

/** One try that brought no answer, already classified. */
export class DialectError extends Error {
  readonly tag = 'DialectError';
  readonly failure: ModelFailure;
  constructor(failure: ModelFailure, cause?: unknown) {
    super(failure.message, { cause });
    this.name = 'DialectError';
    this.failure = failure;
  }
}

export function dialectError(reason: FailureReason, message: string, cause?: unknown): DialectError {
  return new DialectError({ kind: 'failure', reason, message }, cause);
}

/**
 * Whatever an SDK threw, by what the transport saw of it: SDKs word the same failure differently, and wrap it. An error that carries a
 * status came inside a stream that had begun well.
 */
export function classify(error: unknown, trace: HttpTrace): DialectError {
  if (error instanceof DialectError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (trace.refusal !== undefined) return new DialectError(failureOfHttp(trace.refusal), error);
  if (trace.tooLarge)
    return dialectError('too-large', `expected an answer of at most ${trace.maxBytes} bytes, found more`, error);
  const status = statusOf(error);
  if (status !== undefined) return new DialectError(failureOfHttp({ status, headers: {}, body: message }), error);
  if (error instanceof SyntaxError || /JSON|parsing/.test(message)) {
    const cut = /incomplete|end of (?:JSON|data)|unterminated/i.test(message);
    return dialectError(
      cut ? 'cut' : 'malformed',
      `the answer is not what the wire promises: ${message.slice(0, 200)}`,
      error,
    );
  }
  if (!trace.responded)
    return dialectError('unreachable', `the model's server could not be reached: ${rootMessage(error)}`, error);
  return dialectError('cut', `the connection ended in the middle of the answer: ${rootMessage(error)}`, error);
}

function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('status' in error)) return undefined;
  return typeof error.status === 'number' && error.status >= 400 ? error.status : undefined;
}

function rootMessage(error: unknown): string {
  let root = error;
  for (let depth = 0; depth < 5 && root instanceof Error && root.cause !== undefined; depth += 1) root = root.cause;
  return (root instanceof Error ? root.message : String(root)).slice(0, 200);
}
