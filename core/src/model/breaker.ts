import type { FailureReason } from './failure.ts';

/** Consecutive failures of the server's own, and until when nothing is sent. Times are milliseconds of the process's clock. */
export interface BreakerState {
  readonly failures: number;
  readonly openUntil?: number;
  /** One call is let through to see whether the server is back. */
  readonly probing: boolean;
}

export const CLOSED: BreakerState = { failures: 0, probing: false };

export interface BreakerLimits {
  readonly failures: number;
  readonly openMs: number;
}

export type BreakerVerdict =
  | {
      readonly kind: 'pass';
      readonly reason: 'closed' | 'probe';
      readonly state: BreakerState;
      readonly message: string;
    }
  | { readonly kind: 'refuse'; readonly reason: 'breaker-open'; readonly message: string };

/** Whether a call may be made. After the rest one call passes; the others wait for what becomes of it. */
export function askBreaker(state: BreakerState, nowMs: number): BreakerVerdict {
  if (state.openUntil === undefined) return { kind: 'pass', reason: 'closed', state, message: 'the server answers' };
  if (nowMs >= state.openUntil && !state.probing)
    return { kind: 'pass', reason: 'probe', state: { ...state, probing: true }, message: 'one call to see' };
  const left = Math.max(0, Math.ceil((state.openUntil - nowMs) / 1_000));
  return {
    kind: 'refuse',
    reason: 'breaker-open',
    message: `the model's server failed ${state.failures} times in a row; it is left alone${left > 0 ? ` for another ${left} s` : ' while one call is under way'}`,
  };
}

const OF_THE_SERVER: readonly FailureReason[] = [
  'server-error',
  'unavailable',
  'stalled-first-byte',
  'stalled-idle',
  'cut',
  'unreachable',
];

/** The state after a call. What we did wrong ourselves, and what was never sent, says nothing about the server. */
export function afterCall(
  state: BreakerState,
  outcome: 'answered' | 'aborted' | FailureReason,
  nowMs: number,
  limits: BreakerLimits,
): BreakerState {
  if (outcome === 'answered') return CLOSED;
  if (outcome === 'aborted' || !OF_THE_SERVER.includes(outcome)) return { ...state, probing: false };
  const failures = state.failures + 1;
  if (failures < limits.failures && state.openUntil === undefined) return { failures, probing: false };
  return { failures, openUntil: nowMs + limits.openMs, probing: false };
}
