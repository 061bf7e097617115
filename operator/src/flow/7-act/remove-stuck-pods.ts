import { deleteByUid, evictByUid } from '@hephaisto/core/action/delete';
import type { PlannedWrite } from '@hephaisto/core/action/kind';
import { impossible } from '@hephaisto/core/action/patch';
import { type RawObject, textAt } from '@hephaisto/core/action/raw-object';
import type { PodRemoval } from '@hephaisto/core/action/rollback-workload/stuck-pods';
import type { KubeWrite } from '@hephaisto/core/action/types';
import { projectPod } from '@hephaisto/core/facts/project-pod';
import type { Sql } from '@hephaisto/core/ports/database';
import type { KubeFailure } from '@hephaisto/core/ports/kube';
import { cleanJsonText } from '@hephaisto/core/signal/clean-text';
import { isNotNow, openAttempt, outcomeOf, settleAttempt, startAttempt } from '../../act/attempts.ts';
import { commit } from '../../act/commit.ts';
import type { ActingDeps } from '../../act/deps.ts';
import type { HeldLease } from '../../act/under-lease.ts';
import { BY_ACTOR, type TypedAction } from './endings.ts';

/** What became of one pod. `later`: it cannot be removed at this moment. */
type Removal =
  | { readonly kind: 'done'; readonly result: 'gone' | 'ready' | 'sent' | 'evicted' | 'deleted' }
  | { readonly kind: 'later' | 'refused'; readonly message: string };

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

/** The process that wrote a removal down is gone. Whether it was sent shows in the pod, and it is never sent again. */
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
  if (read.kind === 'failure')
    return read.reason === 'not-found' ? { kind: 'done', result: 'gone' } : { kind: 'later', message: read.message };
  const object = { ...read.value, kind: 'Pod' };
  const { uid, ready, deletingSince } = projectPod(object);
  if (uid !== pod.uid || deletingSince !== undefined) return { kind: 'done', result: 'gone' };
  // The controller replaces a ready pod by itself, and its disruption budget counts it.
  if (ready) return { kind: 'done', result: 'ready' };
  if (await mayBeSent(deps.db, action.id, pod.name)) return { kind: 'done', result: 'sent' };
  const refused = await call(deps, held, action, evictByUid(object));
  if (refused === undefined) return { kind: 'done', result: 'evicted' };
  if (refused.budget !== true) return refusal(refused);
  // The budget counts healthy pods and this one is not: its deletion takes none of them away, and the plan states it.
  const again = await call(deps, held, action, deleteUnmoved(object));
  return again === undefined ? { kind: 'done', result: 'deleted' } : refusal(again);
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

type Refused = Pick<KubeFailure, 'message'> & { readonly isLater: boolean; readonly budget?: boolean };

function refusal({ message, isLater }: Refused): Removal {
  return { kind: isLater ? 'later' : 'refused', message };
}

/** A removal of the pod that took effect or may have. */
async function mayBeSent(sql: Sql, actionId: string, name: string): Promise<boolean> {
  const rows = await sql.query(
    `SELECT 1 FROM action_attempts WHERE action_id = $1 AND phase = 'removal' AND request ->> 'name' = $2
       AND outcome IN ('succeeded', 'unknown')`,
    [actionId, name],
  );
  return rows.length > 0;
}

/** One removal, written down before it is sent. `undefined` when the server took it or may have. */
async function call(
  deps: ActingDeps,
  held: HeldLease,
  action: TypedAction,
  planned: PlannedWrite,
): Promise<Refused | undefined> {
  if (planned.kind === 'impossible') return { message: planned.message, isLater: false };
  await held.renew();
  const started = await start(deps, held, action, planned.write);
  if (started === undefined) return { message: 'the emergency stop is on', isLater: false };
  held.assertFresh();
  const answer = await deps.writer.send(planned.write, { dryRun: false });
  const outcome = answer.kind === 'ok' ? 'succeeded' : outcomeOf(answer);
  await commit(deps, held, action, (tx) =>
    settleAttempt(tx, started, outcome, answer.kind === 'ok' ? { status: 200, message: 'done' } : answer),
  );
  await deps.faults.hit('act:removal-settled');
  if (answer.kind === 'ok' || outcome === 'unknown') return undefined;
  // After a conflict the pod is read again: it is another one, or it has changed.
  const isLater = isNotNow(answer) || answer.reason === 'conflict';
  return { message: answer.message, isLater, budget: answer.cause === 'disruption-budget' };
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
