import { readBack } from '@hephaisto/core/action/catalogue';
import type { Presence, Readback } from '@hephaisto/core/action/kind';
import { patchReadback } from '@hephaisto/core/action/patch';
import type { Sql } from '@hephaisto/core/ports/database';
import { measureTarget } from '@hephaisto/verifier/probe/measure';
import { moveAction } from '../../act/action-row.ts';
import { recordReadback, unknownAttempt } from '../../act/attempts.ts';
import { commit } from '../../act/commit.ts';
import type { ActingDeps } from '../../act/deps.ts';
import { endUndo } from '../../act/end-undo.ts';
import { scheduleRestored } from '../../act/schedule-restored.ts';
import type { HeldLease } from '../../act/under-lease.ts';
import { approversOf, BY_ACTOR, escalateFromActing, finishExecuted, mirrorEvent, type TypedAction } from './endings.ts';
import { wasAnsweredLate } from './late-answer.ts';
import { retryUnsentUndo } from './undo-again.ts';

/** The undo of an action that is not known by its values; a readback of such kinds looks at the object's identity alone. */
const NO_INVERSE = { kind: 'none', why: 'nothing was stored' } as const;

/** Keeps the lease through the pause: one that ran out in it would have every replica begin the same wait anew, for ever. */
async function pauseHolding(deps: ActingDeps, held: HeldLease, ms: number): Promise<void> {
  const slice = Math.max(1, Math.floor(deps.settings.leaseTtlMs / 3));
  await held.renew();
  for (let left = ms; left > 0; left -= slice) {
    await deps.timers.sleep(Math.min(left, slice));
    await held.renew();
  }
}

/** What the sender itself has heard since outweighs what was read. */
async function settled(tx: Sql, attemptId: string, reading: Readback): Promise<Readback> {
  if (reading.kind === 'applied' || !(await wasAnsweredLate(tx, attemptId))) return reading;
  return { kind: 'applied', reason: 'answered_late', message: 'the call was answered after the object had been read' };
}

type Reading = Readback | { readonly kind: 'later' };

/**
 * Reads until the object shows the call, or long enough that it would have. "Not applied" is only believed at the last of several reads,
 * since a request may still be on its way when the first answers.
 */
async function readUntilSure(
  deps: ActingDeps,
  held: HeldLease,
  action: TypedAction,
  age: { readonly ageMs: number; readonly patienceMs: number },
  judge: (present: Presence) => Readback,
): Promise<Reading> {
  let last: Reading = { kind: 'later' };
  for (const pause of deps.settings.readbackPausesMs) {
    await pauseHolding(deps, held, pause);
    const read = await measureTarget(deps.reader, action.request);
    if (!read.measured) {
      last = { kind: 'later' };
      continue;
    }
    last = judge(read.value);
    if (last.kind === 'applied') return last;
  }
  if (last.kind !== 'later' || age.ageMs < age.patienceMs) return last;
  return { kind: 'inconclusive', reason: 'unreadable', message: 'the target could not be read for too long' };
}

/** Settles an action whose answer was lost, from the object alone. Never sends anything but reads. */
export async function readBackAction(deps: ActingDeps, held: HeldLease, action: TypedAction): Promise<boolean> {
  const attempt = await unknownAttempt(deps.db, action.id, 'execute');
  if (attempt === undefined) return false;
  const inverse = action.inverse ?? NO_INVERSE;
  const age = { ageMs: attempt.ageMs, patienceMs: deps.settings.patienceMs };
  const read = await readUntilSure(deps, held, action, age, (present) =>
    readBack(action.request, inverse, present, action.id),
  );
  if (read.kind === 'later') return false;
  const known = await commit(deps, held, action, async (tx) => {
    const reading = await settled(tx, attempt.id, read);
    await recordReadback(tx, attempt.id, reading.kind, reading.message);
    const why = { readback: reading.kind, message: reading.message };
    if (reading.kind === 'applied')
      await finishExecuted(tx, deps, action, 'Unknown', { postState: { attempt: attempt.id, ...why } });
    else if (reading.kind === 'not_applied') {
      await moveAction(tx, action.id, 'Unknown', 'Failed', { reasons: ['not_applied'] });
      await escalateFromActing(tx, deps, action, 'ActionFailed', 'not_applied', why);
    } else await escalateFromActing(tx, deps, action, 'OutcomeUnknown', reading.reason, why);
    return reading;
  });
  await deps.faults.hit('act:read-back');
  if (known.kind !== 'inconclusive')
    deps.metrics.count('actions_total', {
      action: action.type,
      result: known.kind === 'applied' ? 'executed' : 'failed',
    });
  if (known.kind === 'applied')
    await mirrorEvent(deps, action, attempt.id, {
      reason: 'RemediationApplied',
      approvedBy: await approversOf(deps.db, action),
    });
  return true;
}

/** The same for an undo whose answer was lost. */
export async function readBackUndo(deps: ActingDeps, held: HeldLease, action: TypedAction): Promise<boolean> {
  const attempt = await unknownAttempt(deps.db, action.id, 'rollback');
  if (attempt === undefined) return false;
  const inverse = action.inverse ?? NO_INVERSE;
  // A control plane that restarts answers no read for minutes, and a harmful change must not outlive it.
  const age = { ageMs: attempt.ageMs, patienceMs: deps.settings.undoPatienceMs };
  const read = await readUntilSure(deps, held, action, age, (present) =>
    patchReadback(inverse, present, action.id, 'undo'),
  );
  if (read.kind === 'later') return false;
  const ended = await commit(deps, held, action, async (tx) => {
    const reading = await settled(tx, attempt.id, read);
    await recordReadback(tx, attempt.id, reading.kind, reading.message);
    if (reading.kind === 'applied') {
      await moveAction(tx, action.id, 'RollbackUnknown', 'RollingBack');
      await scheduleRestored(tx, deps, action.id, 1);
      return undefined;
    }
    const failed = reading.kind === 'not_applied';
    if (failed && (await retryUnsentUndo(tx, deps, action, attempt.id, reading))) return 'retried';
    await endUndo(tx, deps, BY_ACTOR, action, {
      from: 'RollbackUnknown',
      ...(failed ? { to: 'RollbackFailed' as const } : {}),
      subReason: failed ? 'RollbackFailed' : 'RollbackUnknown',
      reason: reading.reason,
      message: reading.message,
    });
    return failed ? 'failed' : 'unknown';
  });
  await deps.faults.hit('act:undo-read-back');
  if (ended !== undefined) deps.metrics.count('rollbacks_total', { reason: ended });
  return true;
}
