import { isDeepStrictEqual } from 'node:util';
import { withTopology } from '../../cluster/admission/topology.ts';
import { type ControllerContext, type Running, runningWith, withStatus } from '../runtime/context.ts';
import { createWorkQueue, type Outcome, SETTLED, type WorkQueue } from '../runtime/work-queue.ts';
import type { Condition } from '../shape/condition.ts';
import { withoutCondition } from '../shape/conditions.ts';
import { keyOf, splitKey } from '../shape/ownership.ts';
import type { Node, Pod } from '../shape/pod.ts';
import { isFinished, podCondition } from '../shape/pod-facts.ts';
import { NODES, PODS } from '../shape/resources.ts';
import { timestamp } from '../shape/timestamp.ts';
import { type NodeWithPods, placePod } from './place-pod.ts';

const COMPONENT = 'default-scheduler';
const FIRST_BACKOFF = 1_000;
const LONGEST_BACKOFF = 10_000;
/** However quiet the cluster, a pod that found no node is looked at again after this long. */
const FLUSH = 300_000;

/** Pods that found no node: how often they were tried. They wait for the cluster to change, and not less than their back-off. */
type Attempts = Map<string, { count: number; readonly triedAt: number }>;

/** Binds each pod to a node that fits it, or says why none does. */
export function startScheduler(context: ControllerContext): Running {
  const { store, pace } = context;
  const waiting: Attempts = new Map();
  const queue = createWorkQueue({
    pace,
    reconcile: (key) => reconcile(context, waiting, key),
    onError: (key, error) => context.onError(COMPONENT, key, error),
  });
  const wake = (): void => wakeAll(context, queue, waiting);
  const unsubscribe = [
    store.subscribe(PODS, ({ type, object }) => {
      const pod = object as Pod;
      const key = keyOf(pod);
      const unbound = type !== 'DELETED' && isUnbound(pod);
      if (!unbound) waiting.delete(key);
      if (unbound && !waiting.has(key)) queue.add(key);
      if (!isUnbound(pod) && (type === 'DELETED' || isFinished(pod))) wake();
    }),
    store.subscribe(NODES, watchNodes(store.list(NODES) as readonly Node[], wake)),
  ];
  for (const pod of store.list(PODS) as readonly Pod[]) if (isUnbound(pod)) queue.add(keyOf(pod));
  return runningWith(queue, unsubscribe);
}

/** Only a change that could let a pod in counts; heartbeats do not. */
function watchNodes(known: readonly Node[], wake: () => void): (event: { type: string; object: unknown }) => void {
  const shapes = new Map(known.map((node) => [node.metadata.name, shapeOf(node)]));
  return ({ type, object }) => {
    const node = object as Node;
    if (type === 'DELETED') {
      shapes.delete(node.metadata.name);
      return;
    }
    const shape = shapeOf(node);
    if (isDeepStrictEqual(shapes.get(node.metadata.name), shape)) return;
    shapes.set(node.metadata.name, shape);
    wake();
  };
}

function shapeOf(node: Node): unknown {
  return [node.metadata.labels, node.spec?.unschedulable, node.spec?.taints, node.status?.allocatable];
}

function isUnbound(pod: Pod): boolean {
  const ours = pod.spec.schedulerName === undefined || pod.spec.schedulerName === COMPONENT;
  const free = pod.spec.nodeName === undefined || pod.spec.nodeName === '';
  return ours && free && !isFinished(pod) && pod.metadata.deletionTimestamp === undefined;
}

function wakeAll({ pace }: ControllerContext, queue: WorkQueue, waiting: Attempts): void {
  for (const [key, { count, triedAt }] of waiting) {
    const backoff = Math.min(FIRST_BACKOFF * 2 ** (count - 1), LONGEST_BACKOFF);
    queue.addAfter(key, Math.max(0, backoff - (pace.now().getTime() - triedAt) * pace.speed));
  }
}

function reconcile(context: ControllerContext, waiting: Attempts, key: string): Outcome {
  const { store, pace, random } = context;
  const { namespace, name } = splitKey(key);
  const pod = store.get(PODS, namespace, name) as Pod | undefined;
  if (pod === undefined || !isUnbound(pod) || (pod.spec.schedulingGates ?? []).length > 0) {
    waiting.delete(key);
    return SETTLED;
  }
  const placement = placePod(pod, nodesWithPods(context), random);
  if (placement.kind === 'bind') {
    waiting.delete(key);
    bind(context, pod, placement.node);
    return SETTLED;
  }
  const count = (waiting.get(key)?.count ?? 0) + 1;
  waiting.set(key, { count, triedAt: pace.now().getTime() });
  refuse(context, pod, placement.message);
  return { kind: 'again', afterMilliseconds: FLUSH };
}

function nodesWithPods({ store }: ControllerContext): readonly NodeWithPods[] {
  const bound = Map.groupBy(
    (store.list(PODS) as readonly Pod[]).filter((pod) => !isFinished(pod)),
    (pod) => pod.spec.nodeName ?? '',
  );
  const nodes = store.list(NODES) as readonly Node[];
  return nodes.map((node) => ({ node, pods: bound.get(node.metadata.name) ?? [] }));
}

function bind({ store, pace, events }: ControllerContext, pod: Pod, nodeName: string): void {
  const { resourceVersion: _, ...metadata } = pod.metadata;
  const node = store.get(NODES, '', nodeName);
  const bound = store.update(PODS, {
    ...withTopology({ ...pod, metadata }, node),
    spec: { ...pod.spec, nodeName },
  }) as Pod;
  const scheduled = withScheduled(bound, { type: 'PodScheduled', status: 'True' }, timestamp(pace.now()));
  store.update(PODS, withStatus(bound, { ...bound.status, conditions: scheduled }), 'status');
  events.record(COMPONENT, pod, {
    type: 'Normal',
    reason: 'Scheduled',
    action: 'Binding',
    message: `Successfully assigned ${pod.metadata.namespace}/${pod.metadata.name} to ${nodeName}`,
  });
}

function refuse({ store, pace, events }: ControllerContext, pod: Pod, message: string): void {
  const { generation } = pod.metadata;
  const condition: Condition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  const conditions = withScheduled(pod, condition, timestamp(pace.now()));
  store.update(PODS, withStatus(pod, { ...pod.status, conditions }), 'status');
  events.record(COMPONENT, pod, { type: 'Warning', reason: 'FailedScheduling', action: 'Scheduling', message });
}

function withScheduled(pod: Pod, next: Condition, now: string): readonly Condition[] {
  const before = podCondition(pod, 'PodScheduled');
  const kept = before?.status === next.status ? before.lastTransitionTime : undefined;
  return [
    ...withoutCondition(pod.status?.conditions ?? [], 'PodScheduled'),
    { ...next, lastProbeTime: null, lastTransitionTime: kept ?? now },
  ];
}
