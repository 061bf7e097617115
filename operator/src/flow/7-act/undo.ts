import type { Presence } from '@hephaisto/core/action/kind';
import { undoWrite } from '@hephaisto/core/action/patch';
import { textAt } from '@hephaisto/core/action/raw-object';
import type { KubeWrite } from '@hephaisto/core/action/types';
import type { Sql } from '@hephaisto/core/ports/database';
import type { KubeFailure } from '@hephaisto/core/ports/kube';
import { measureTarget } from '@hephaisto/verifier/probe/measure';
import { moveAction, readAction } from '../../act/action-row.ts';
import { outcomeOf, settleAttempt, startAttempt } from '../../act/attempts.ts';
import { commit } from '../../act/commit.ts';
import type { ActingDeps } from '../../act/deps.ts';
import { endUndo } from '../../act/end-undo.ts';
import { judge } from '../../act/judge.ts';
import { decideRefusedCall, type TargetMovement } from '../../act/refused-call.ts';
import { stampsOf } from '../../act/stamps.ts';
import type { HeldLease } from '../../act/under-lease.ts';
import { approversOf, BY_ACTOR, mirrorEvent, type TypedAction } from './endings.ts';
import { settleAnswered } from './late-answer.ts';
import { readBackUndo } from './read-back.ts';
import { inRounds, MOST_ROUNDS, type Step } from './rounds.ts';
import { commitApplied, scheduleNextUndo, settleUndoThatArrivedLate } from './undo-again.ts';

/**
 * Puts back the stored prior values. Asks no budget, no cooldown and nobody; but never past the emergency stop, never in a protected namespace, and never over a value
 * that somebody else has written since.
 */
export async function undo(deps: ActingDeps, held: HeldLease, action: TypedAction): Promise<boolean> {
  const ended = await inRounds(deps, held, action.id, {
    phase: 'rollback',
    round: (now) => attempt(deps, held, now),
    roundsBefore: 0,
    lostAnswer: (attemptId, message) => lostAnswer(deps, held, action, attemptId, message),
  });
  if (ended !== 'moved') return ended;
  const now = (await readAction(deps.db, action.id)) ?? action;
  const message = `the target moved under the undo ${MOST_ROUNDS} times`;
  // A crashing workload has its status written all the time; a pause may hit a quieter moment.
  await retryOrBlock(deps, held, { ...action, ...now, request: action.request }, 'target_moved', message);
  return true;
}

async function attempt(deps: ActingDeps, held: HeldLease, action: TypedAction): Promise<Step> {
  const judged = await judge(deps, action, { undo: true });
  const denying = judged.decision.gates.filter(({ verdict }) => verdict === 'deny');
  const closed = denying.find(({ code }) => code !== 'unreadable');
  if (closed !== undefined) return await end(deps, held, action, closed.code, closed.message);
  const read = await measureTarget(deps.reader, action.request);
  if (!read.measured || (denying.length > 0 && read.value.kind === 'present'))
    return await retryOrBlock(deps, held, action, 'unreadable', 'the target could not be read');
  const approvedBy = await approversOf(deps.db, action);
  const plan = undoWrite(
    action.inverse ?? { kind: 'none', why: 'nothing was stored' },
    read.value,
    stampsOf(action, approvedBy),
  );
  if (plan.kind === 'blocked') {
    if (await settleUndoThatArrivedLate(deps, held, action, read.value)) return 'done';
    return await end(deps, held, action, plan.reason, plan.message);
  }
  return await send(deps, held, action, plan.write, read.value, approvedBy);
}

/** For what has not been sent: wait for a better moment, or give the incident to a person once the patience is over. */
async function retryOrBlock(
  deps: ActingDeps,
  held: HeldLease,
  action: TypedAction,
  reason: string,
  message: string,
): Promise<Step> {
  if ((action.undoRetry?.waitedMs ?? 0) >= deps.settings.undoPatienceMs)
    return await end(deps, held, action, reason, message);
  return await postpone(deps, held, action, { reason, message });
}

async function postpone(
  deps: ActingDeps,
  held: HeldLease,
  action: TypedAction,
  why: { readonly reason: string; readonly message: string },
  settle: (tx: Sql) => Promise<void> = () => Promise.resolve(),
): Promise<Step> {
  await commit(deps, held, action, async (tx) => {
    await settle(tx);
    await scheduleNextUndo(tx, deps, action, why);
  });
  await deps.faults.hit('act:undo-postponed');
  deps.metrics.count('rollbacks_total', { reason: 'retried' });
  return 'later';
}

async function end(
  deps: ActingDeps,
  held: HeldLease,
  action: TypedAction,
  reason: string,
  message: string,
): Promise<Step> {
  await blocked(deps, held, action, reason, message);
  return 'done';
}

async function blocked(
  deps: ActingDeps,
  held: HeldLease,
  action: TypedAction,
  reason: string,
  message: string,
): Promise<void> {
  await commit(deps, held, action, (tx) =>
    endUndo(tx, deps, BY_ACTOR, action, {
      from: action.state,
      ...(action.state === 'RollingBack' ? { to: 'RollbackFailed' as const } : {}),
      subReason: 'RollbackBlocked',
      reason,
      message,
    }),
  );
  await deps.faults.hit('act:undo-ended');
  deps.metrics.count('rollbacks_total', { reason: 'blocked' });
}

async function send(
  deps: ActingDeps,
  held: HeldLease,
  action: TypedAction,
  write: KubeWrite,
  present: Presence,
  approvedBy: readonly string[],
): Promise<Step> {
  await held.renew();
  const started = await commit(deps, held, action, async (tx) => {
    if ((await deps.switches.lockedVerdict(tx, action.request.type)).emergencyStop.on) return undefined;
    if (action.state === 'VerificationFailed') await moveAction(tx, action.id, 'VerificationFailed', 'RollingBack');
    return await startAttempt(tx, {
      id: deps.ids.uuid(),
      actionId: action.id,
      phase: 'rollback',
      epoch: held.lease.epoch,
      write,
    });
  });
  await deps.faults.hit('act:undo-started');
  if (started === undefined)
    return await end(deps, held, action, 'emergency_stop', 'the emergency stop was pulled before the undo');
  held.assertFresh();
  const answer = await deps.writer.send(write, { dryRun: false });
  await deps.faults.hit('act:undo-sent');
  if (answer.kind === 'failure') return await notAnswered(deps, held, action, present, started.id, answer);
  await settleAnswered(deps, action, started.id, () =>
    commitApplied(deps, held, action, async (tx) => {
      await settleAttempt(tx, started.id, 'succeeded', { status: 200, message: 'done' });
      await noteUndo(tx, deps, action);
    }),
  );
  await mirrorEvent(deps, action, started.id, { reason: 'RemediationRolledBack', approvedBy });
  return 'done';
}

async function noteUndo(tx: Sql, deps: ActingDeps, action: TypedAction): Promise<void> {
  await deps.incidents.note(tx, {
    ...BY_ACTOR,
    incidentId: action.incidentId,
    kind: 'rollback',
    reason: 'verification_failed',
    data: { action: action.id },
  });
}

async function notAnswered(
  deps: ActingDeps,
  held: HeldLease,
  action: TypedAction,
  present: Presence,
  attemptId: string,
  failure: KubeFailure,
): Promise<Step> {
  const outcome = outcomeOf(failure);
  const rolling: TypedAction = { ...action, state: 'RollingBack' };
  if (outcome === 'unknown')
    return (await lostAnswer(deps, held, rolling, attemptId, failure.message)) ? 'done' : 'later';
  const decided = decideRefusedCall(failure, await movementOf(deps, action, present), {
    waitedMs: action.undoRetry?.waitedMs ?? 0,
    patienceMs: deps.settings.undoPatienceMs,
  });
  const settle = (tx: Sql): Promise<void> => settleAttempt(tx, attemptId, outcome, failure);
  if (decided.kind === 'retry') return await postpone(deps, held, rolling, failure, settle);
  await commit(deps, held, action, async (tx) => {
    await settle(tx);
    if (decided.kind === 'rebuild') return;
    await endUndo(tx, deps, BY_ACTOR, rolling, {
      from: 'RollingBack',
      to: 'RollbackFailed',
      subReason: 'RollbackFailed',
      reason: decided.reason,
      message: decided.message,
    });
  });
  await deps.faults.hit('act:undo-rejected');
  if (decided.kind === 'rebuild') return 'again';
  deps.metrics.count('rollbacks_total', { reason: 'failed' });
  return 'done';
}

async function movementOf(deps: ActingDeps, action: TypedAction, was: Presence): Promise<TargetMovement> {
  const now = await measureTarget(deps.reader, action.request);
  if (!now.measured) return 'unknown';
  if (was.kind === 'gone') return now.value.kind === 'gone' ? 'unmoved' : 'moved';
  if (now.value.kind === 'gone') return 'moved';
  const version = textAt(now.value.object, '/metadata/resourceVersion');
  return version === textAt(was.object, '/metadata/resourceVersion') ? 'unmoved' : 'moved';
}

async function lostAnswer(
  deps: ActingDeps,
  held: HeldLease,
  action: TypedAction,
  attemptId: string,
  message: string,
): Promise<boolean> {
  await commit(deps, held, action, async (tx) => {
    await settleAttempt(tx, attemptId, 'unknown', { message });
    await moveAction(tx, action.id, 'RollingBack', 'RollbackUnknown');
  });
  await deps.faults.hit('act:undo-unknown');
  const now = await readAction(deps.db, action.id);
  return now?.request === undefined ? false : await readBackUndo(deps, held, { ...now, request: now.request });
}
