import { controllerOf } from '../shape/ownership.ts';
import type { Node, Pod } from '../shape/pod.ts';
import { amounts, scoredRequests, totalRequests } from './pod-requests.ts';
import { untolerated } from './tolerations.ts';

const HIGHEST = 100;
const SPREAD_WEIGHT = 2;
const TAINT_WEIGHT = 3;

/** Higher is better: free CPU and memory, few siblings of the same owner, no taint that asks pods to stay away. */
export function scoreNode(pod: Pod, node: Node, onNode: readonly Pod[]): number {
  const avoided = untolerated(node.spec?.taints ?? [], pod.spec.tolerations ?? [], ['PreferNoSchedule']) !== undefined;
  return (
    leastAllocated(pod, node, onNode) + SPREAD_WEIGHT * spread(pod, onNode) + (avoided ? 0 : TAINT_WEIGHT * HIGHEST)
  );
}

function leastAllocated(pod: Pod, node: Node, onNode: readonly Pod[]): number {
  const allocatable = amounts(node.status?.allocatable ?? node.status?.capacity);
  const requested = totalRequests([...onNode, pod], scoredRequests);
  const scores = ['cpu', 'memory']
    .filter((name) => (allocatable[name] ?? 0) > 0)
    .map((name) => free(requested[name] ?? 0, allocatable[name] ?? 0));
  return scores.length === 0 ? 0 : Math.floor(scores.reduce((sum, score) => sum + score, 0) / scores.length);
}

function free(requested: number, capacity: number): number {
  return requested > capacity ? 0 : Math.floor(((capacity - requested) * HIGHEST) / capacity);
}

function spread(pod: Pod, onNode: readonly Pod[]): number {
  const owner = controllerOf(pod)?.uid;
  if (owner === undefined) return HIGHEST;
  const siblings = onNode.filter((other) => controllerOf(other)?.uid === owner).length;
  return Math.floor(HIGHEST / (1 + siblings));
}
