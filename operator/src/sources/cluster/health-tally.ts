import type { NodeFact } from '@hephaisto/core/facts/facts';
import type { WatchedPod } from '@hephaisto/core/signal/watched';

export interface HealthCounts {
  readonly pods: number;
  readonly unreadyPods: number;
  readonly nodes: number;
  readonly unreadyNodes: number;
}

interface CountedPod {
  readonly namespace: string;
  readonly controller: string | undefined;
  readonly createdMs: number;
  readonly state: 'ready' | 'unready' | 'failed' | 'ended';
}

/** Counts of all pods and nodes, kept up to date object by object, so that no count walks fifty thousand pods. */
export interface HealthTally {
  pod(pod: WatchedPod): void;
  podGone(uid: string): void;
  /** Every pod of a namespace, or of the cluster for the namespace ''; whatever else was counted there has gone. */
  podsReplaced(namespace: string, pods: readonly WatchedPod[]): void;
  node(node: NodeFact): void;
  nodeGone(uid: string): void;
  nodesReplaced(nodes: readonly NodeFact[]): void;
  counts(): HealthCounts;
}

export function createHealthTally(): HealthTally {
  const pods = new Map<string, CountedPod>();
  const unready = new Set<string>();
  const failed = new Set<string>();
  const ended = new Set<string>();
  const nodes = new Map<string, boolean>();
  const families = new Map<string, { members: number; newestMs: number }>();

  function podGone(uid: string): void {
    const counted = pods.get(uid);
    if (counted === undefined) return;
    pods.delete(uid);
    for (const set of [unready, failed, ended]) set.delete(uid);
    const family = counted.controller === undefined ? undefined : families.get(counted.controller);
    if (family === undefined || counted.controller === undefined) return;
    family.members -= 1;
    if (family.members === 0) families.delete(counted.controller);
  }

  function pod(watched: WatchedPod): void {
    podGone(watched.uid);
    const counted = countedPod(watched);
    pods.set(watched.uid, counted);
    if (counted.state === 'unready') unready.add(watched.uid);
    if (counted.state === 'failed') failed.add(watched.uid);
    if (counted.state === 'ended') ended.add(watched.uid);
    if (counted.controller === undefined) return;
    const family = families.get(counted.controller) ?? { members: 0, newestMs: Number.NEGATIVE_INFINITY };
    family.members += 1;
    // Never lowered: a later pod that has gone again was a replacement all the same.
    family.newestMs = Math.max(family.newestMs, counted.createdMs);
    families.set(counted.controller, family);
  }

  /** The eviction of a pod leaves it as `Failed` for days after its controller has made another. */
  function isReplaced(uid: string): boolean {
    const counted = pods.get(uid);
    if (counted?.controller === undefined) return false;
    return (families.get(counted.controller)?.newestMs ?? 0) > counted.createdMs;
  }

  return {
    pod,
    podGone,
    podsReplaced(namespace, present) {
      const uids = new Set(present.map(({ uid }) => uid));
      for (const [uid, counted] of pods)
        if ((namespace === '' || counted.namespace === namespace) && !uids.has(uid)) podGone(uid);
      for (const watched of present) pod(watched);
    },
    node: (node) => void nodes.set(node.uid, node.ready === 'True'),
    nodeGone: (uid) => void nodes.delete(uid),
    nodesReplaced(present) {
      nodes.clear();
      for (const node of present) nodes.set(node.uid, node.ready === 'True');
    },
    counts() {
      let leftovers = 0;
      for (const uid of failed) if (isReplaced(uid)) leftovers += 1;
      let unreadyNodes = 0;
      for (const ready of nodes.values()) if (!ready) unreadyNodes += 1;
      return {
        pods: pods.size - ended.size - leftovers,
        unreadyPods: unready.size + failed.size - leftovers,
        nodes: nodes.size,
        unreadyNodes,
      };
    },
  };
}

function countedPod(pod: WatchedPod): CountedPod {
  return {
    namespace: pod.namespace,
    controller: pod.controller?.uid,
    createdMs: pod.createdAt.getTime(),
    state: stateOf(pod),
  };
}

/** A pod that succeeded or is being deleted says nothing about the health of the cluster. */
function stateOf(pod: WatchedPod): CountedPod['state'] {
  if (pod.phase === 'Succeeded' || pod.deleting) return 'ended';
  if (pod.phase === 'Failed') return 'failed';
  return pod.ready ? 'ready' : 'unready';
}
