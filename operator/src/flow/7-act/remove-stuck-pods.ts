import { deleteByUid, evictByUid } from '@hephaisto/core/action/delete';
import type { PlannedWrite } from '@hephaisto/core/action/kind';
import { impossible } from '@hephaisto/core/action/patch';
import { type RawObject, textAt } from '@hephaisto/core/action/raw-object';
import type { PodRemoval } from '@hephaisto/core/action/rollback-workload/stuck-pods';
import type { KubeWrite } from '@hephaisto/core/action/types';
import { projectPod } from '@hephaisto/core/facts/project-pod';
import { cleanJsonText } from '@hephaisto/core/signal/clean-text';
import {
  openAttempt,
  outcomeOf,
  recordReadback,
  settleAttempt,
  settleUnsent,
  startAttempt,
} from '../../act/attempts.ts';
import { commit } from '../../act/commit.ts';
import type { ActingDeps } from '../../act/deps.ts';
import { decideRefusedCall, retryPauseMs } from '../../act/refused-call.ts';
import { earlierRemovals, giveUpRemovals } from '../../act/removal-attempts.ts';
import type { HeldLease } from '../../act/under-lease.ts';
import { BY_ACTOR, type TypedAction } from './endings.ts';

/** What became of one pod. `later`: it cannot be removed at this moment. `budget`: only its disruption budget refuses. */
type Removal =
  | { readonly kind: 'done'; readonly result: 'gone' | 'ready' | 'sent' | 'evicted' | 'deleted' }
  | { readonly kind: 'later' | 'refused' | 'budget'; readonly message: string };

const UNKNOWN_OUTCOME = 'the call to remove the pod got no answer, and its outcome is unknown';

/**
 * Removes the pods that the approved plan names, once the controller has observed the template that was rolled back. A pod that is removed
 * earlier would be made again from the broken template. What cannot be removed within the patience is left to the verification.
 */
export async function removeStuckPods(deps: ActingDeps, held: HeldLease, action: TypedAction): Promise<boolean> {
  await settleLostRemoval(deps, held, action);
  const isOver = action.stateAgeMs >= deps.settings.removalPatienceMs;
  const { workload } = action.request;
  const read = await deps.reader.workload(workload.kind, workload.namespace, workload.name);
  const isObserved = read.kind === 'ok' && read.value.observedGeneration >= read.value.generation;
  if (!isObserved && !isOver) return false;
  const results: Record<string, string> = {};
  for (const pod of action.preState?.removes ?? []) {
    const removal: Removal = isObserved
      ? await removePod(deps, held, action, pod)
      : { kind: 'refused', message: 'the controller has not observed the rollback' };
    if (removal.kind === 'later' && !isOver) return false;
    results[pod.name] = removal.kind === 'done' ? removal.result : removal.message.slice(0, 500);
  }
  await end(deps, held, action, results);
  return true;
}

/** The process that wrote a removal down is gone. The pod shows whether the call was applied. */
export async function settleLostRemoval(
  deps: ActingDeps,
  held: HeldLease,
  action: Pick<TypedAction, 'id' | 'incidentId'>,
): Promise<void> {
  const open = await openAttempt(deps.db, action.id);
  if (open?.phase !== 'removal') return;
  const message = 'the process that made the call is gone';
  await commit(deps, held, action, (tx) => settleAttempt(tx, open.id, 'unknown', { message }));
  await deps.faults.hit('act:removal-lost');
}

async function removePod(deps: ActingDeps, held: HeldLease, action: TypedAction, pod: PodRemoval): Promise<Removal> {
  const read = await deps.reader.object('v1', 'pods', action.request.target.namespace, pod.name);
  if (read.kind === 'failure' && read.reason !== 'not-found') return { kind: 'later', message: read.message };
  const object = read.kind === 'ok' ? { ...read.value, kind: 'Pod' } : undefined;
  const seen = object === undefined ? undefined : projectPod(object);
  const isGone = seen?.uid !== pod.uid || seen.deletingSince !== undefined;
  const earlier = await earlierRemovals(deps.db, action.id, pod.name);
  if (earlier?.outcome === 'unknown' && !(await readBackRemoval(deps, held, action, earlier, isGone)))
    return { kind: 'later', message: UNKNOWN_OUTCOME };
  if (isGone || object === undefined) return { kind: 'done', result: 'gone' };
  // The controller replaces a ready pod by itself, and its disruption budget counts it.
  if (seen.ready) return { kind: 'done', result: 'ready' };
  if (earlier?.outcome === 'succeeded') return { kind: 'done', result: 'sent' };
  if (earlier !== undefined && earlier.ageMs < retryPauseMs(earlier.count - 1, deps.settings.retryPausesMs))
    return { kind: 'later', message: earlier.message };
  const evicted = await call(deps, held, action, evictByUid(object), 'evicted');
  // The budget counts healthy pods and this one is not: its deletion takes none of them away, and the plan states it.
  return evicted.kind === 'budget' ? await call(deps, held, action, deleteUnmoved(object), 'deleted') : evicted;
}

/**
 * Settles a call without an answer by the pod. An accepted call marks the pod as deleted at once, so "not applied" is believed once the request
 * can no longer be on its way. The same call sent twice removes one pod only: it names the pod's uid. False while it is too early to tell.
 */
async function readBackRemoval(
  deps: ActingDeps,
  held: HeldLease,
  action: TypedAction,
  { id, ageMs }: { readonly id: string; readonly ageMs: number },
  isGone: boolean,
): Promise<boolean> {
  const settledAfterMs = deps.settings.readbackPausesMs.reduce((sum, pause) => sum + pause, 0);
  if (!isGone && ageMs < settledAfterMs) return false;
  await commit(deps, held, action, async (tx) => {
    if (isGone) return await recordReadback(tx, id, 'applied', 'the pod is gone or being deleted');
    await recordReadback(tx, id, 'not_applied', 'the pod is there and is not being deleted');
    await settleUnsent(tx, id);
  });
  await deps.faults.hit('act:removal-read-back');
  return true;
}

/** The pod may become ready while its eviction is asked for. Tied to the version that was read unready, the deletion is refused then. */
function deleteUnmoved(pod: RawObject): PlannedWrite {
  const planned = deleteByUid(pod);
  const resourceVersion = textAt(pod, '/metadata/resourceVersion');
  if (planned.kind === 'impossible' || planned.write.verb !== 'delete') return planned;
  if (resourceVersion === undefined) return impossible('malformed-object', 'expected a pod with a resourceVersion');
  const { uid } = planned.write.preconditions;
  return { ...planned, write: { ...planned.write, preconditions: { uid, resourceVersion } } };
}

/** One removal, written down before it is sent. */
async function call(
  deps: ActingDeps,
  held: HeldLease,
  action: TypedAction,
  planned: PlannedWrite,
  result: 'evicted' | 'deleted',
): Promise<Removal> {
  if (planned.kind === 'impossible') return { kind: 'refused', message: planned.message };
  await held.renew();
  const started = await start(deps, held, action, planned.write);
  if (started === undefined) return { kind: 'refused', message: 'the emergency stop is on' };
  held.assertFresh();
  const answer = await deps.writer.send(planned.write, { dryRun: false });
  const outcome = answer.kind === 'ok' ? 'succeeded' : outcomeOf(answer);
  await commit(deps, held, action, (tx) =>
    settleAttempt(tx, started, outcome, answer.kind === 'ok' ? { status: 200, message: 'done' } : answer),
  );
  await deps.faults.hit('act:removal-settled');
  if (answer.kind === 'ok') return { kind: 'done', result };
  if (outcome === 'unknown') return { kind: 'later', message: UNKNOWN_OUTCOME };
  if (answer.reason === 'not-found') return { kind: 'done', result: 'gone' };
  if (answer.cause === 'disruption-budget' && result === 'evicted') return { kind: 'budget', message: answer.message };
  // The pod is read anew before each try, so no refusal comes from a pod that has moved since.
  const decided = decideRefusedCall(answer, 'unmoved', {
    waitedMs: action.stateAgeMs,
    patienceMs: deps.settings.removalPatienceMs,
  });
  return { kind: decided.kind === 'end' ? 'refused' : 'later', message: answer.message };
}

async function start(
  deps: ActingDeps,
  held: HeldLease,
  action: TypedAction,
  write: KubeWrite,
): Promise<string | undefined> {
  const id = await commit(deps, held, action, async (tx) => {
    if ((await deps.switches.lockedVerdict(tx, action.request.type)).emergencyStop.on) return undefined;
    const { epoch } = held.lease;
    const attempt = { id: deps.ids.uuid(), actionId: action.id, phase: 'removal', epoch, write } as const;
    return (await startAttempt(tx, attempt)).id;
  });
  await deps.faults.hit('act:removal-started');
  return id;
}

async function end(
  deps: ActingDeps,
  held: HeldLease,
  action: TypedAction,
  results: Readonly<Record<string, string>>,
): Promise<void> {
  await commit(deps, held, action, async (tx) => {
    await giveUpRemovals(tx, action.id, 'the pod could not be read until the patience was over');
    await tx.execute(`UPDATE actions SET post_state = coalesce(post_state, '{}'::jsonb) || $2::jsonb WHERE id = $1`, [
      action.id,
      cleanJsonText({ removed: results }),
    ]);
    const text = Object.entries(results).map(([pod, result]) => `${pod}: ${result}`);
    await deps.incidents.note(tx, {
      ...BY_ACTOR,
      incidentId: action.incidentId,
      kind: 'note',
      reason: 'pods_removed',
      data: { action: action.id, text: `Pods that the StatefulSet could not replace: ${text.join(', ')}` },
    });
  });
  await deps.faults.hit('act:removal-ended');
}
