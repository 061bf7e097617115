import { isDeepStrictEqual } from 'node:util';
import { type ControllerContext, type Running, runningWith, withStatus } from '../runtime/context.ts';
import { createWorkQueue, type Outcome, SETTLED } from '../runtime/work-queue.ts';
import type { Lease, Node, Pod } from '../shape/pod.ts';
import { isReady } from '../shape/pod-facts.ts';
import { LEASES, NODES, PODS } from '../shape/resources.ts';
import { timestamp } from '../shape/timestamp.ts';
import { createHeartbeatLog, type HeartbeatLog } from './heartbeat-log.ts';
import { graceOf, type Heartbeats, readyStatus, silentConditions } from './node-health.ts';
import { desiredTaints } from './node-taints.ts';

const COMPONENT = 'node-controller';
const LEASE_NAMESPACE = 'kube-node-lease';

/** Tells silent nodes from living ones, and keeps the taints that stand for a node's conditions. */
export function startNodeLifecycle(context: ControllerContext): Running {
  const { store, pace } = context;
  const beats = createHeartbeatLog();
  const readiness = new Map<string, string | undefined>();
  const now = (): number => pace.now().getTime();
  const queue = createWorkQueue({
    pace,
    reconcile: (name) => reconcile(context, beats, readiness, name),
    onError: (name, error) => context.onError(COMPONENT, name, error),
  });
  const unsubscribe = [
    store.subscribe(NODES, ({ type, object }) => {
      const node = object as Node;
      if (type === 'DELETED') {
        beats.forget(node.metadata.name);
        readiness.delete(node.metadata.name);
        return;
      }
      beats.sawNode(node, now());
      queue.add(node.metadata.name);
    }),
    store.subscribe(LEASES, ({ type, object }) => {
      if (type !== 'DELETED' && object.metadata.namespace === LEASE_NAMESPACE) beats.sawLease(object as Lease, now());
    }),
  ];
  for (const lease of store.list(LEASES, LEASE_NAMESPACE) as readonly Lease[]) beats.sawLease(lease, now());
  for (const node of store.list(NODES) as readonly Node[]) {
    beats.sawNode(node, now());
    queue.add(node.metadata.name);
  }
  return runningWith(queue, unsubscribe);
}

function reconcile(
  context: ControllerContext,
  log: HeartbeatLog,
  readiness: Map<string, string | undefined>,
  name: string,
): Outcome {
  const { store, pace } = context;
  let node = store.get(NODES, '', name) as Node | undefined;
  if (node === undefined) return SETTLED;
  if (!readiness.has(name)) announce(context, node, 'RegisteredNode', `event: Registered Node ${name} in Controller`);

  node = labelled(context, node);
  const stamp = timestamp(pace.now());
  const heartbeats = heartbeatsOf(context, log, name);
  const conditions = silentConditions(node, heartbeats, stamp);
  if (conditions !== undefined)
    node = store.update(NODES, withStatus(node, { ...node.status, conditions }), 'status') as Node;

  const taints = desiredTaints(node, stamp);
  if (!isDeepStrictEqual(node.spec?.taints ?? [], taints)) {
    const { resourceVersion: _, ...metadata } = node.metadata;
    node = store.update(NODES, { ...node, metadata, spec: { ...node.spec, taints } }) as Node;
  }
  const ready = readyStatus(node);
  if (readiness.get(name) === 'True' && ready !== 'True') {
    announce(context, node, 'NodeNotReady', 'status is now: NodeNotReady');
    markPodsNotReady(context, name, stamp);
  }
  readiness.set(name, ready);
  // Looks again when the silence would have lasted too long; a sign of life until then only moves that moment.
  const left = Math.max(1_000 / pace.speed, graceOf(heartbeats) - heartbeats.silentFor + 1);
  return { kind: 'again', afterMilliseconds: left * pace.speed };
}

const OLDER_LABELS = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
] as const;
const TTL = 'node.alpha.kubernetes.io/ttl';

/** Keeps the older names of two labels in step, and says how long kubelets may keep what they have read. */
function labelled({ store }: ControllerContext, node: Node): Node {
  const { resourceVersion: _, ...metadata } = node.metadata;
  const labels: Record<string, string> = { ...metadata.labels };
  for (const [newer, older] of OLDER_LABELS) {
    const value = labels[newer];
    if (value !== undefined) labels[older] = value;
  }
  const annotations = { [TTL]: '0', ...metadata.annotations };
  return store.update(NODES, { ...node, metadata: { ...metadata, labels, annotations } }) as Node;
}

function announce({ events }: ControllerContext, node: Node, reason: string, text: string): void {
  events.record(COMPONENT, node, { type: 'Normal', reason, message: `Node ${node.metadata.name} ${text}` });
}

function heartbeatsOf({ pace }: ControllerContext, log: HeartbeatLog, name: string): Heartbeats {
  const beat = log.of(name);
  const now = pace.now().getTime();
  return {
    silentFor: beat === undefined ? 0 : now - beat.lastAt,
    interval: beat?.interval,
    leaseDurationSeconds: beat?.leaseSeconds,
    speed: pace.speed,
  };
}

/** Nobody vouches for the pods of such a node any more, so Services must stop sending to them. */
function markPodsNotReady({ store, events }: ControllerContext, nodeName: string, stamp: string): void {
  for (const pod of store.list(PODS) as readonly Pod[]) {
    if (pod.spec.nodeName !== nodeName || !isReady(pod)) continue;
    const conditions = (pod.status?.conditions ?? []).map((condition) =>
      condition.type === 'Ready' ? { ...condition, status: 'False', lastTransitionTime: stamp } : condition,
    );
    store.update(PODS, withStatus(pod, { ...pod.status, conditions }), 'status');
    events.record(COMPONENT, pod, { type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' });
  }
}
