import type { Pod } from '../shape/pod.ts';
import { isReady, podCondition } from '../shape/pod-facts.ts';

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const PHASES: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/**
 * The pods to give up when there are too many, those that serve least first: unplaced, pending, not ready, cheap to delete, doubled
 * up on a node, ready for a shorter time, restarted more often, younger. Ages are compared by order of magnitude, so that a
 * rollout's whole last batch is not what always goes; within one order the uid decides.
 */
export function podsToDelete(pods: readonly Pod[], count: number, now: Date): readonly Pod[] {
  if (count >= pods.length) return pods;
  const ranks = colocatedReady(pods);
  return [...pods].sort((a, b) => compare(a, b, ranks, now)).slice(0, Math.max(0, count));
}

function compare(a: Pod, b: Pod, ranks: ReadonlyMap<string, number>, now: Date): number {
  return (
    Number(isPlaced(a)) - Number(isPlaced(b)) ||
    phase(a) - phase(b) ||
    Number(isReady(a)) - Number(isReady(b)) ||
    cost(a) - cost(b) ||
    rank(b, ranks) - rank(a, ranks) ||
    (isReady(a) && isReady(b) ? byMagnitude(readySince(a), readySince(b), a, b, now) : 0) ||
    restarts(b) - restarts(a) ||
    byMagnitude(a.metadata.creationTimestamp, b.metadata.creationTimestamp, a, b, now)
  );
}

function isPlaced(pod: Pod): boolean {
  return pod.spec.nodeName !== undefined && pod.spec.nodeName !== '';
}

function phase(pod: Pod): number {
  return PHASES[pod.status?.phase ?? 'Pending'] ?? 0;
}

function cost(pod: Pod): number {
  const value = Number(pod.metadata.annotations?.[DELETION_COST] ?? '0');
  return Number.isInteger(value) ? value : 0;
}

function colocatedReady(pods: readonly Pod[]): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  for (const pod of pods)
    if (isPlaced(pod) && isReady(pod))
      ranks.set(pod.spec.nodeName ?? '', (ranks.get(pod.spec.nodeName ?? '') ?? 0) + 1);
  return ranks;
}

function rank(pod: Pod, ranks: ReadonlyMap<string, number>): number {
  return ranks.get(pod.spec.nodeName ?? '') ?? 0;
}

function readySince(pod: Pod): string | undefined {
  return podCondition(pod, 'Ready')?.lastTransitionTime;
}

function restarts(pod: Pod): number {
  return Math.max(0, ...(pod.status?.containerStatuses ?? []).map((status) => status.restartCount ?? 0));
}

/** Younger first; a missing time counts as the youngest. */
function byMagnitude(a: string | undefined, b: string | undefined, podA: Pod, podB: Pod, now: Date): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  const difference = magnitude(a, now) - magnitude(b, now);
  if (difference !== 0) return difference;
  return (podA.metadata.uid ?? '') < (podB.metadata.uid ?? '') ? -1 : 1;
}

function magnitude(stamp: string, now: Date): number {
  const nanoseconds = (now.getTime() - Date.parse(stamp)) * 1e6;
  return nanoseconds > 0 ? Math.floor(Math.log2(nanoseconds)) : -1;
}
