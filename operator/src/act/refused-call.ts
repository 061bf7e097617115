import { assertNever } from '@hephaisto/core/assert-never';
import type { KubeFailure } from '@hephaisto/core/ports/kube';

/** Whether the target is still the object that the call was built on. `unknown`: it could not be read. */
export type TargetMovement = 'moved' | 'unmoved' | 'unknown';

/** What becomes of a call that certainly did not apply, and that must not be given up for a server that is busy. */
export type RefusedCall =
  /** Build it anew at once, on the object as it is now. */
  | { readonly kind: 'rebuild' }
  | { readonly kind: 'retry' }
  | { readonly kind: 'end'; readonly reason: string; readonly message: string };

/**
 * A refused undo leaves a harmful change in place, and a refused removal a rollout that is stuck, so the call is retried unless the refusal
 * cannot heal: missing rights, a missing object, or a value that the server rejects although nobody has changed the target. Retrying in vain
 * for the whole patience is the smaller harm.
 */
export function decideRefusedCall(
  failure: KubeFailure,
  movement: TargetMovement,
  waited: { readonly waitedMs: number; readonly patienceMs: number },
): RefusedCall {
  switch (failure.reason) {
    case 'forbidden':
    case 'not-found':
    case 'gone':
      return { kind: 'end', reason: failure.reason, message: failure.message };
    case 'invalid':
      if (movement === 'moved') return { kind: 'rebuild' };
      if (movement === 'unmoved') return { kind: 'end', reason: failure.reason, message: failure.message };
      return retryWithin(failure, waited);
    case 'conflict':
      return movement === 'moved' ? { kind: 'rebuild' } : retryWithin(failure, waited);
    case 'unauthorized':
    case 'too-many-requests':
    case 'unsent':
    // The outcome of these four is unknown; a caller that read back that nothing was applied may retry them too.
    case 'server-error':
    case 'timeout':
    case 'cut':
    case 'malformed':
      return retryWithin(failure, waited);
    default:
      return assertNever(failure.reason);
  }
}

function retryWithin(
  failure: { readonly reason: string; readonly message: string },
  { waitedMs, patienceMs }: { readonly waitedMs: number; readonly patienceMs: number },
): RefusedCall {
  if (waitedMs < patienceMs) return { kind: 'retry' };
  return { kind: 'end', reason: failure.reason, message: `${failure.message} (retried for ${minutes(patienceMs)})` };
}

function minutes(ms: number): string {
  return ms < 60_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`;
}

/** Pause before the next try: doubled each time up to a bound, so that an overloaded server is not kept overloaded. */
export function retryPauseMs(retries: number, { first, longest }: RetryPauses): number {
  return Math.min(longest, first * 2 ** Math.min(retries, 20));
}

export interface RetryPauses {
  readonly first: number;
  readonly longest: number;
}
