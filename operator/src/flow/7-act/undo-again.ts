import type { Presence } from '@hephaisto/core/action/kind';
import { patchReadback } from '@hephaisto/core/action/patch';
import type { Sql } from '@hephaisto/core/ports/database';
import { moveAction } from '../../act/action-row.ts';
import { settleUnsent, undoReadAsUnsent } from '../../act/attempts.ts';
import { commit } from '../../act/commit.ts';
import type { ActingDeps } from '../../act/deps.ts';
import { scheduleRestored } from '../../act/schedule-restored.ts';
import type { HeldLease } from '../../act/under-lease.ts';
import { scheduleUndoRetry } from '../../act/undo-retry.ts';
import { BY_ACTOR, type TypedAction } from './endings.ts';
import { noteAppliedLate } from './late-answer.ts';

export interface RetryReason {
  readonly reason: string;
  readonly message: string;
}

/** Writes down when the undo is tried next, and why it was not done at once. */
export async function scheduleNextUndo(
  tx: Sql,
  deps: ActingDeps,
  action: TypedAction,
  why: RetryReason,
): Promise<void> {
  await scheduleUndoRetry(tx, action.id, why, deps.settings.retryPausesMs, action.undoRetry);
  // Only the first retry is an event: the API shows the present one, and fifteen minutes of them would bury the timeline.
  if (action.undoRetry !== undefined) return;
  await deps.incidents.note(tx, {
    ...BY_ACTOR,
    incidentId: action.incidentId,
    kind: 'note',
    reason: 'undo_retried',
    data: { action: action.id, text: `The undo is being retried: ${why.message}`, refusal: why.reason },
  });
}

/**
 * Tries an undo again whose target shows, at the last of several reads, that the call was not applied. False once the patience is over. The call may
 * still be on its way; it tests the version of its target, so the server applies one of the two only.
 */
export async function retryUnsentUndo(
  tx: Sql,
  deps: ActingDeps,
  action: TypedAction,
  attemptId: string,
  why: RetryReason,
): Promise<boolean> {
  if ((action.undoRetry?.waitedMs ?? 0) >= deps.settings.undoPatienceMs) return false;
  await settleUnsent(tx, attemptId);
  await moveAction(tx, action.id, 'RollbackUnknown', 'RollingBack');
  await scheduleNextUndo(tx, deps, action, why);
  return true;
}

/** An earlier call that was read back as not applied has arrived since: the undo is done. False where the target does not show it. */
export async function settleUndoThatArrivedLate(
  deps: ActingDeps,
  held: HeldLease,
  action: TypedAction,
  present: Presence,
): Promise<boolean> {
  if (action.state !== 'RollingBack' || action.inverse === undefined) return false;
  if (patchReadback(action.inverse, present, action.id, 'undo').kind !== 'applied') return false;
  const attemptId = await undoReadAsUnsent(deps.db, action.id);
  if (attemptId === undefined) return false;
  await commitApplied(deps, held, action, (tx) => noteAppliedLate(tx, deps, action, attemptId));
  return true;
}

/** Commits that the undo took effect, and when it is checked whether the prior values hold. */
export async function commitApplied(
  deps: ActingDeps,
  held: HeldLease,
  action: TypedAction,
  settle: (tx: Sql) => Promise<void>,
): Promise<void> {
  await commit(deps, held, action, async (tx) => {
    await settle(tx);
    await scheduleRestored(tx, deps, action.id, 1);
  });
  await deps.faults.hit('act:undo-applied');
}
