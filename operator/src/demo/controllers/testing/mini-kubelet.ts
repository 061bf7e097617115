import type { ObjectStore } from '../../cluster/store.ts';
import type { Pace } from '../../pace.ts';
import { withStatus } from '../runtime/context.ts';
import type { Condition } from '../shape/condition.ts';
import type { Lease, Node, Pod } from '../shape/pod.ts';
import { LEASES, NODES, PODS } from '../shape/resources.ts';
import { microTimestamp, timestamp } from '../shape/timestamp.ts';

/** What becomes of a pod once it is on a node. */
export type PodFate = 'ready' | 'never-ready' | 'failed' | 'succeeded';

export interface MiniKubelet {
  /** The node sends no further sign of life, and its pods stay as they are. */
  silence(node: string): void;
  close(): void;
}

const START = 1_000;
const STOP = 500;
const RENEWAL = 10_000;

/** The least that controllers need of a kubelet: pods start, become what the test says, and end when they are told to. */
export function startMiniKubelet(store: ObjectStore, pace: Pace, fate: (pod: Pod) => PodFate): MiniKubelet {
  const silent = new Set<string>();
  const seen = new Set<string>();
  let address = 1;
  let closed = false;

  const onPod = (pod: Pod): void => {
    const node = pod.spec.nodeName;
    if (node === undefined || silent.has(node)) return;
    const leaving = pod.metadata.deletionTimestamp !== undefined;
    const once = `${pod.metadata.uid}/${leaving}`;
    if (seen.has(once)) return;
    seen.add(once);
    pace.after(leaving ? STOP : START, () => {
      const { namespace = '', name, uid } = pod.metadata;
      const current = store.get(PODS, namespace, name) as Pod | undefined;
      if (closed || silent.has(node) || current === undefined || current.metadata.uid !== uid) return;
      if (leaving) store.remove(PODS, namespace, name, { force: true });
      else
        store.update(PODS, withStatus(current, played(current, fate(current), pace, `10.0.0.${address++}`)), 'status');
    });
  };
  const stop = store.subscribe(PODS, ({ type, object }) => {
    if (type !== 'DELETED') onPod(object as Pod);
  });
  const renew = (): void => {
    for (const node of store.list(NODES) as readonly Node[])
      if (!silent.has(node.metadata.name)) renewLease(store, pace, node.metadata.name);
    if (!closed) pace.after(RENEWAL, renew);
  };
  renew();
  return {
    silence: (node) => silent.add(node),
    close: () => {
      closed = true;
      stop();
    },
  };
}

function played(pod: Pod, fate: PodFate, pace: Pace, podIP: string): unknown {
  const now = timestamp(pace.now());
  const ended = fate === 'failed' || fate === 'succeeded';
  const phase = fate === 'failed' ? 'Failed' : fate === 'succeeded' ? 'Succeeded' : 'Running';
  const ready: Condition = { type: 'Ready', status: fate === 'ready' ? 'True' : 'False', lastTransitionTime: now };
  const state = ended ? { terminated: { exitCode: fate === 'failed' ? 1 : 0, finishedAt: now } } : { running: {} };
  return {
    ...pod.status,
    phase,
    podIP,
    conditions: [...(pod.status?.conditions ?? []).filter(({ type }) => type !== 'Ready'), ready],
    containerStatuses: pod.spec.containers.map(({ name }) => ({
      name,
      ready: fate === 'ready',
      restartCount: 0,
      state,
    })),
  };
}

function renewLease(store: ObjectStore, pace: Pace, name: string): void {
  const namespace = 'kube-node-lease';
  const lease: Lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: microTimestamp(pace.now()) },
  };
  if (store.get(LEASES, namespace, name) === undefined) store.create(LEASES, lease);
  else store.update(LEASES, lease);
}
