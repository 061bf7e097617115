import { type ControllerContext, type Running, runningWith, withStatus } from '../runtime/context.ts';
import { createWorkQueue, type Outcome, SETTLED } from '../runtime/work-queue.ts';
import { selects } from '../shape/label-selector.ts';
import { controllerOf, keyOf, splitKey } from '../shape/ownership.ts';
import type { Pod } from '../shape/pod.ts';
import { isFinished } from '../shape/pod-facts.ts';
import { DEPLOYMENTS, DISRUPTION_BUDGETS, PODS, REPLICA_SETS } from '../shape/resources.ts';
import { timestamp } from '../shape/timestamp.ts';
import type { Deployment, PodDisruptionBudget, ReplicaSet } from '../shape/workloads.ts';
import { pdbStatus } from './pdb-status.ts';

const COMPONENT = 'disruption-controller';

/** Keeps the number of evictions that each budget allows. */
export function startDisruptionController(context: ControllerContext): Running {
  const { store, pace } = context;
  const queue = createWorkQueue({
    pace,
    reconcile: (key) => reconcile(context, key),
    onError: (key, error) => context.onError(COMPONENT, key, error),
  });
  const addAll = (namespace: string | undefined): void => {
    for (const budget of store.list(DISRUPTION_BUDGETS, namespace)) queue.add(keyOf(budget));
  };
  const unsubscribe = [
    store.subscribe(DISRUPTION_BUDGETS, ({ object }) => queue.add(keyOf(object))),
    store.subscribe(PODS, ({ object }) => addAll(object.metadata.namespace)),
    store.subscribe(DEPLOYMENTS, ({ object }) => addAll(object.metadata.namespace)),
    store.subscribe(REPLICA_SETS, ({ object }) => addAll(object.metadata.namespace)),
  ];
  addAll(undefined);
  return runningWith(queue, unsubscribe);
}

function reconcile(context: ControllerContext, key: string): Outcome {
  const { store, pace } = context;
  const { namespace, name } = splitKey(key);
  const budget = store.get(DISRUPTION_BUDGETS, namespace, name) as PodDisruptionBudget | undefined;
  if (budget === undefined) return SETTLED;
  const pods = (store.list(PODS, namespace) as readonly Pod[]).filter(
    (pod) => selects(budget.spec.selector, pod.metadata.labels) && !isFinished(pod),
  );
  if (pods.length === 0) {
    const nothing = { type: 'Normal', reason: 'NoPods', message: 'No matching pods found' } as const;
    context.events.record('controllermanager', budget, nothing);
  }
  const status = pdbStatus(budget, pods, expectedScale(context, pods), timestamp(pace.now()));
  store.update(DISRUPTION_BUDGETS, withStatus(budget, status), 'status');
  return SETTLED;
}

/** Each controller is counted once, by what it wants and not by what it has. */
function expectedScale({ store }: ControllerContext, pods: readonly Pod[]): number {
  const scales = new Map<string, number>();
  for (const pod of pods) {
    const owner = controllerOf(pod);
    const namespace = pod.metadata.namespace ?? '';
    const replicaSet =
      owner?.kind === 'ReplicaSet'
        ? (store.get(REPLICA_SETS, namespace, owner.name) as ReplicaSet | undefined)
        : undefined;
    const above = replicaSet === undefined ? undefined : controllerOf(replicaSet);
    const deployment =
      above?.kind === 'Deployment'
        ? (store.get(DEPLOYMENTS, namespace, above.name) as Deployment | undefined)
        : undefined;
    const scaled = deployment ?? replicaSet;
    if (scaled !== undefined) scales.set(scaled.metadata.uid ?? '', scaled.spec.replicas ?? 1);
  }
  return [...scales.values()].reduce((sum, scale) => sum + scale, 0);
}
