import { assertNever } from '@hephaisto/core/assert-never';
import type { Sql } from '@hephaisto/core/ports/database';
import type { KubeFailure } from '@hephaisto/core/ports/kube';
import { cleanJsonText } from '@hephaisto/core/signal/clean-text';

/** Whether the target is still the object that the undo was built on. `unknown`: it could not be read. */
export type TargetMovement = 'moved' | 'unmoved' | 'unknown';

/** What becomes of an undo whose call certainly did not apply. */
export type RefusedUndo =
  /** Build it anew at once, on the object as it is now. */
  | { readonly kind: 'rebuild' }
  | { readonly kind: 'retry' }
  | { readonly kind: 'end'; readonly reason: string; readonly message: string };

/**
 * A refused undo leaves a harmful change in place, so it is retried unless the refusal cannot heal: missing rights, a missing object, or a
 * value that the server rejects although nobody has changed the target. Retrying in vain for the whole patience is the smaller harm.
 */
export function decideRefusedUndo(
  failure: KubeFailure,
  movement: TargetMovement,
  waited: { readonly waitedMs: number; readonly patienceMs: number },
): RefusedUndo {
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
): RefusedUndo {
  if (waitedMs < patienceMs) return { kind: 'retry' };
  return { kind: 'end', reason: failure.reason, message: `${failure.message} (retried for ${minutes(patienceMs)})` };
}

function minutes(ms: number): string {
  return ms < 60_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`;
}

/** Pause before the next try: doubled each time up to a bound, so that an overloaded server is not kept overloaded. */
export function undoPauseMs(retries: number, { first, longest }: UndoPauses): number {
  return Math.min(longest, first * 2 ** Math.min(retries, 20));
}

export interface UndoPauses {
  readonly first: number;
  readonly longest: number;
}

/** Stored in `actions.post_state` under `undoRetry` while an undo waits for its next try. */
export interface UndoRetry {
  readonly retries: number;
  /** Time since the first refusal. */
  readonly waitedMs: number;
}

/** Of `actions a`: true unless the action waits for a retry that is not due yet. */
export const UNDO_IS_DUE = `coalesce((a.post_state #>> '{undoRetry,at}')::timestamptz <= app_now(), true)`;

export async function scheduleUndoRetry(
  tx: Sql,
  actionId: string,
  why: { readonly reason: string; readonly message: string },
  pauses: UndoPauses,
  before: UndoRetry | undefined,
): Promise<void> {
  await tx.execute(
    `UPDATE actions SET post_state = coalesce(post_state, '{}'::jsonb) || jsonb_build_object('undoRetry', $2::jsonb || jsonb_build_object(
       'at', app_now() + $3 * interval '1 millisecond', 'since', coalesce(post_state #> '{undoRetry,since}', to_jsonb(app_now()))))
     WHERE id = $1`,
    [
      actionId,
      cleanJsonText({ retries: (before?.retries ?? 0) + 1, reason: why.reason, message: why.message.slice(0, 500) }),
      undoPauseMs(before?.retries ?? 0, pauses),
    ],
  );
}

export async function clearUndoRetry(tx: Sql, actionId: string): Promise<void> {
  await tx.execute(
    `UPDATE actions SET post_state = post_state - 'undoRetry' WHERE id = $1 AND post_state ? 'undoRetry'`,
    [actionId],
  );
}
