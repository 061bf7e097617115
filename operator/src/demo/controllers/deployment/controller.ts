import { assertNever } from '@hephaisto/core/assert-never';
import { StoreError } from '../../cluster/store.ts';
import {
  type ControllerContext,
  elapsedSince,
  type Running,
  removeIfPresent,
  runningWith,
  withStatus,
} from '../runtime/context.ts';
import { again, createWorkQueue, type Outcome, SETTLED } from '../runtime/work-queue.ts';
import { findCondition } from '../shape/conditions.ts';
import { controlledBy, controllerOf, keyOf, splitKey } from '../shape/ownership.ts';
import type { Pod } from '../shape/pod.ts';
import { isFinished } from '../shape/pod-facts.ts';
import { DEPLOYMENTS, PODS, REPLICA_SETS } from '../shape/resources.ts';
import { timestamp } from '../shape/timestamp.ts';
import type { Deployment, DeploymentStatus, ReplicaSet } from '../shape/workloads.ts';
import { decideDeployment } from './decide-deployment.ts';
import { deadlineSeconds, hasProgressDeadline } from './deployment-status.ts';
import { isRollingUpdate } from './fenceposts.ts';
import { findNewReplicaSet, REVISION, sameTemplate } from './revision.ts';
import type { RolloutStep } from './rollout-step.ts';

const COMPONENT = 'deployment-controller';

/** Rolls Deployments out and scales them, by way of ReplicaSets. */
export function startDeploymentController(context: ControllerContext): Running {
  const { store, pace, instants } = context;
  const queue = createWorkQueue({
    pace,
    reconcile: (key) => reconcile(context, key),
    onError: (key, error) => context.onError(COMPONENT, key, error),
  });
  const unsubscribe = [
    store.subscribe(DEPLOYMENTS, ({ type, object }) => {
      if (type === 'DELETED') instants.forget(`${object.metadata.uid}/`);
      else queue.add(keyOf(object));
    }),
    store.subscribe(REPLICA_SETS, ({ object }) => {
      const owner = controllerOf(object);
      if (owner?.kind === 'Deployment') queue.add(`${object.metadata.namespace}/${owner.name}`);
    }),
    // The end of an old pod is what a Recreate rollout waits for.
    store.subscribe(PODS, ({ type, object }) => {
      const owner = type === 'DELETED' || isFinished(object as Pod) ? controllerOf(object) : undefined;
      const namespace = object.metadata.namespace ?? '';
      const parent = owner?.kind === 'ReplicaSet' ? store.get(REPLICA_SETS, namespace, owner.name) : undefined;
      const deployment = parent === undefined ? undefined : controllerOf(parent);
      if (deployment?.kind === 'Deployment') queue.add(`${namespace}/${deployment.name}`);
    }),
  ];
  for (const deployment of store.list(DEPLOYMENTS)) queue.add(keyOf(deployment));
  return runningWith(queue, unsubscribe);
}

function reconcile(context: ControllerContext, key: string): Outcome {
  const { store, pace } = context;
  const { namespace, name } = splitKey(key);
  const deployment = store.get(DEPLOYMENTS, namespace, name) as Deployment | undefined;
  if (deployment === undefined) return SETTLED;
  if (selectsEverything(deployment)) return SETTLED;

  const owned = (store.list(REPLICA_SETS, namespace) as readonly ReplicaSet[]).filter((replicaSet) =>
    controlledBy(replicaSet, deployment),
  );
  const decision = decideDeployment({
    deployment,
    owned,
    oldPodsRunning: !isRollingUpdate(deployment) && hasOldPods(context, deployment, owned),
    now: timestamp(pace.now()),
    sinceProgress: sinceProgress(context, deployment, deployment.status),
  });
  for (const step of decision.steps) if (!take(context, deployment, step)) return again(0);
  const fresh = store.get(DEPLOYMENTS, namespace, name) as Deployment | undefined;
  if (fresh === undefined) return SETTLED;
  store.update(DEPLOYMENTS, withStatus(fresh, decision.status), 'status');

  const waited = sinceProgress(context, deployment, decision.status);
  const reason = findCondition(decision.status.conditions ?? [], 'Progressing')?.reason;
  const judged = reason !== 'NewReplicaSetAvailable' && reason !== 'ProgressDeadlineExceeded';
  if (!hasProgressDeadline(deployment) || waited === undefined || !judged) return SETTLED;
  return again(Math.max(0, deadlineSeconds(deployment) * 1000 - waited) + 1_000);
}

function selectsEverything(deployment: Deployment): boolean {
  const { matchLabels = {}, matchExpressions = [] } = deployment.spec.selector;
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

function sinceProgress(
  { pace, instants }: ControllerContext,
  deployment: Deployment,
  status: DeploymentStatus | undefined,
): number | undefined {
  const stamp = findCondition(status?.conditions ?? [], 'Progressing')?.lastUpdateTime;
  if (stamp === undefined) return undefined;
  return elapsedSince(pace, instants.since(`${deployment.metadata.uid}/progress`, stamp, pace.now()));
}

function hasOldPods({ store }: ControllerContext, deployment: Deployment, owned: readonly ReplicaSet[]): boolean {
  const current = findNewReplicaSet(deployment, owned);
  const old = new Set(owned.filter((replicaSet) => replicaSet !== current).map(({ metadata }) => metadata.uid));
  return (store.list(PODS, deployment.metadata.namespace) as readonly Pod[]).some(
    (pod) => old.has(controllerOf(pod)?.uid) && !isFinished(pod),
  );
}

/** Writes one step; false when the look must start over. */
function take(context: ControllerContext, deployment: Deployment, step: RolloutStep): boolean {
  const { store } = context;
  switch (step.kind) {
    case 'create':
      if (!create(context, deployment, step.replicaSet)) return false;
      announce(context, deployment, step.scaled);
      return true;
    case 'change': {
      const { resourceVersion: _, ...metadata } = step.replicaSet.metadata;
      store.update(REPLICA_SETS, { ...step.replicaSet, metadata });
      announce(context, deployment, step.scaled);
      return true;
    }
    case 'delete':
      removeIfPresent(store, REPLICA_SETS, step.replicaSet);
      return true;
    case 'set-revision': {
      const { resourceVersion: _, ...metadata } = deployment.metadata;
      const annotations = { ...metadata.annotations, [REVISION]: step.revision };
      // With the status: another annotation would else count as another generation.
      store.update(DEPLOYMENTS, { ...deployment, metadata: { ...metadata, annotations } }, 'status');
      return true;
    }
    default:
      return assertNever(step);
  }
}

/** A name that is taken by another template is a collision of hashes: the next look takes another name. */
function create({ store }: ControllerContext, deployment: Deployment, replicaSet: ReplicaSet): boolean {
  try {
    store.create(REPLICA_SETS, replicaSet);
    return true;
  } catch (error: unknown) {
    if (!(error instanceof StoreError && error.reason === 'AlreadyExists')) throw error;
    const namespace = deployment.metadata.namespace ?? '';
    const taken = store.get(REPLICA_SETS, namespace, replicaSet.metadata.name) as ReplicaSet | undefined;
    const ours = taken !== undefined && controlledBy(taken, deployment);
    if (ours && sameTemplate(taken.spec.template, replicaSet.spec.template)) return false;
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
    store.update(DEPLOYMENTS, withStatus(deployment, { ...deployment.status, collisionCount }), 'status');
    return false;
  }
}

function announce(context: ControllerContext, deployment: Deployment, message: string | undefined): void {
  if (message !== undefined)
    context.events.record(COMPONENT, deployment, { type: 'Normal', reason: 'ScalingReplicaSet', message });
}
