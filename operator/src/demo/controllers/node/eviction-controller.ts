import {
  type ControllerContext,
  elapsedSince,
  type Running,
  removeIfPresent,
  runningWith,
  withStatus,
} from '../runtime/context.ts';
import { deletePod } from '../runtime/delete-pod.ts';
import { again, createWorkQueue, type Outcome, SETTLED } from '../runtime/work-queue.ts';
import { withCondition } from '../shape/conditions.ts';
import { keyOf, splitKey } from '../shape/ownership.ts';
import type { Node, Pod } from '../shape/pod.ts';
import { isFinished } from '../shape/pod-facts.ts';
import { NODES, PODS } from '../shape/resources.ts';
import { timestamp } from '../shape/timestamp.ts';
import { evictionOf } from './eviction-time.ts';

const COMPONENT = 'taint-eviction-controller';
/** How long a pod is left alone whose node is gone: the node may only be coming back under its name. */
const QUARANTINE = 40_000;

/** Removes pods from nodes whose taints they do not, or no longer, tolerate, and pods of nodes that are gone. */
export function startEviction(context: ControllerContext): Running {
  const { store, pace } = context;
  const due = new Set<string>();
  const goneSince = new Map<string, number>();
  const queue = createWorkQueue({
    pace,
    reconcile: (key) => reconcile(context, due, goneSince, key),
    onError: (key, error) => context.onError(COMPONENT, key, error),
  });
  const addPodsOf = (name: string): void => {
    for (const pod of store.list(PODS) as readonly Pod[]) if (pod.spec.nodeName === name) queue.add(keyOf(pod));
  };
  const tainted = new Set<string>();
  const unsubscribe = [
    store.subscribe(NODES, ({ type, object }) => {
      const node = object as Node;
      const name = node.metadata.name;
      const repels = type === 'DELETED' || (node.spec?.taints ?? []).some(({ effect }) => effect === 'NoExecute');
      if (repels || tainted.has(name)) addPodsOf(name);
      if (repels) tainted.add(name);
      else tainted.delete(name);
    }),
    store.subscribe(PODS, ({ type, object }) => {
      const pod = object as Pod;
      if (type === 'DELETED') due.delete(keyOf(pod));
      else if (tainted.has(pod.spec.nodeName ?? '')) queue.add(keyOf(pod));
    }),
  ];
  for (const node of store.list(NODES) as readonly Node[])
    if ((node.spec?.taints ?? []).some(({ effect }) => effect === 'NoExecute')) {
      tainted.add(node.metadata.name);
      addPodsOf(node.metadata.name);
    }
  return runningWith(queue, unsubscribe);
}

function reconcile(context: ControllerContext, due: Set<string>, goneSince: Map<string, number>, key: string): Outcome {
  const { store, pace, instants } = context;
  const { namespace, name } = splitKey(key);
  const pod = store.get(PODS, namespace, name) as Pod | undefined;
  if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return SETTLED;
  const node = store.get(NODES, '', pod.spec.nodeName ?? '') as Node | undefined;
  if (node === undefined) return collect(context, goneSince, pod);
  goneSince.delete(pod.metadata.uid ?? '');

  const eviction = evictionOf(pod, node.spec?.taints ?? []);
  if (eviction.kind === 'stay' || isFinished(pod)) {
    if (due.delete(key)) record(context, pod, `Cancelling deletion of Pod ${key}`);
    return SETTLED;
  }
  const added = eviction.taint.timeAdded ?? timestamp(pace.now());
  const slot = `${node.metadata.uid}/taint/${eviction.taint.key}`;
  const waited = elapsedSince(pace, instants.since(slot, added, pace.now()));
  if (waited < eviction.after) {
    due.add(key);
    return again(eviction.after - waited);
  }
  due.delete(key);
  record(context, pod, `Marking for deletion Pod ${key}`);
  disrupt(context, pod);
  deletePod(store, pod);
  return SETTLED;
}

function record({ events }: ControllerContext, pod: Pod, message: string): void {
  events.record(COMPONENT, pod, { type: 'Normal', reason: 'TaintManagerEviction', message });
}

/** Says on the pod why it goes, for whoever counts its failure. */
function disrupt({ store, pace }: ControllerContext, pod: Pod): void {
  const conditions = withCondition(pod.status?.conditions ?? [], {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByTaintManager',
    message: 'Taint manager: deleting due to NoExecute taint',
    lastProbeTime: null,
    lastTransitionTime: timestamp(pace.now()),
  });
  store.update(PODS, withStatus(pod, { ...pod.status, conditions }), 'status');
}

/** A pod whose node is gone has no kubelet that could end it. */
function collect({ store, pace }: ControllerContext, goneSince: Map<string, number>, pod: Pod): Outcome {
  if ((pod.spec.nodeName ?? '') === '') return SETTLED;
  const uid = pod.metadata.uid ?? '';
  const since = goneSince.get(uid) ?? pace.now().getTime();
  goneSince.set(uid, since);
  const waited = elapsedSince(pace, since);
  if (waited < QUARANTINE) return again(QUARANTINE - waited);
  goneSince.delete(uid);
  removeIfPresent(store, PODS, pod, true);
  return SETTLED;
}
