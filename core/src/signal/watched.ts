import type {
  ConditionFact,
  ContainerStatusFact,
  NodeFact,
  OwnerFact,
  PodFact,
  ResourceAmounts,
} from '../facts/facts.ts';

/** What the watch remembers of a pod: enough to tell faults and transitions, little enough for fifty thousand of them. */
export interface WatchedPod {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly controller: OwnerFact | undefined;
  readonly templateHash: string | undefined;
  readonly nodeName: string | undefined;
  readonly phase: string;
  readonly statusReason: string | undefined;
  readonly statusMessage: string | undefined;
  readonly deleting: boolean;
  readonly createdAt: Date;
  readonly ready: boolean;
  readonly unreadySince: Date | undefined;
  readonly unscheduled:
    | { readonly reason: string; readonly message: string; readonly since: Date | undefined }
    | undefined;
  readonly requests: ResourceAmounts;
  readonly containers: readonly ContainerStatusFact[];
}

export function watchPod(pod: PodFact): WatchedPod {
  const readiness = pod.conditions.find((condition) => condition.type === 'Ready');
  const scheduling = pod.conditions.find((condition) => condition.type === 'PodScheduled');
  return {
    uid: pod.uid,
    namespace: pod.namespace,
    name: pod.name,
    controller: pod.owners.find((owner) => owner.controller),
    templateHash: pod.labels['pod-template-hash'],
    nodeName: pod.nodeName,
    phase: pod.phase,
    statusReason: pod.statusReason,
    statusMessage: pod.statusMessage,
    deleting: pod.deletingSince !== undefined,
    createdAt: pod.createdAt,
    ready: pod.ready,
    unreadySince: pod.ready ? undefined : readiness?.since,
    unscheduled: unscheduledOf(scheduling),
    requests: sumRequests(pod),
    containers: pod.statuses,
  };
}

function unscheduledOf(scheduling: ConditionFact | undefined): WatchedPod['unscheduled'] {
  if (scheduling?.status !== 'False' || scheduling.reason !== 'Unschedulable') return undefined;
  return { reason: scheduling.reason, message: scheduling.message ?? '', since: scheduling.since };
}

function sumRequests(pod: PodFact): ResourceAmounts {
  let cpuMillis = 0;
  let memoryBytes = 0;
  for (const spec of pod.specs) {
    if (spec.init) continue;
    cpuMillis += spec.requests.cpuMillis ?? 0;
    memoryBytes += spec.requests.memoryBytes ?? 0;
  }
  return { cpuMillis, memoryBytes };
}

/** Restarts of all containers together. */
export function restartsOf(pod: WatchedPod): number {
  return pod.containers.reduce((sum, container) => sum + container.restartCount, 0);
}

/** Whether a container has ended in failure and does not run. */
export function isDown(pod: WatchedPod): boolean {
  return pod.containers.some(
    ({ terminated, waiting }) =>
      waiting?.reason === 'CrashLoopBackOff' || (terminated !== undefined && terminated.exitCode !== 0),
  );
}

/** Whether any of the nodes could hold the pod if it were empty. With no node known the answer is yes: nothing speaks against it. */
export function fitsSomewhere(requests: ResourceAmounts, nodes: Iterable<NodeFact>): boolean {
  let seen = false;
  for (const node of nodes) {
    seen = true;
    const cpu = node.allocatable.cpuMillis;
    const memory = node.allocatable.memoryBytes;
    if (
      (cpu === undefined || (requests.cpuMillis ?? 0) <= cpu) &&
      (memory === undefined || (requests.memoryBytes ?? 0) <= memory)
    ) {
      return true;
    }
  }
  return !seen;
}
