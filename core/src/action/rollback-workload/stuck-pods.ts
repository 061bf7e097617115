import type { PodFact, WorkloadFact } from '../../facts/facts.ts';
import { recordAt, textAt } from '../../facts/raw.ts';
import type { SpecChange } from '../spec-diff.ts';

/** A pod that a rollback of its StatefulSet removes, pinned by uid. */
export interface PodRemoval {
  readonly name: string;
  readonly uid: string;
}

const REVISION_LABEL = 'controller-revision-hash';
const ENDED: ReadonlySet<string> = new Set(['Failed', 'Succeeded']);
/** An ordered rollout makes one pod at a time; more unready pods than this are no stuck rollout. */
const MAX_REMOVALS = 5;

/**
 * Pods that a StatefulSet does not replace by itself after its template was rolled back. With ordered pod management the controller waits for an
 * unready pod to become ready before it does anything else, and a pod of the broken revision never does (kubernetes#67250).
 */
export function stuckPods(workload: WorkloadFact, pods: readonly PodFact[]): readonly PodRemoval[] {
  if (workload.kind !== 'StatefulSet') return [];
  if (textAt(recordAt(workload.raw, 'spec'), 'podManagementPolicy') === 'Parallel') return [];
  const broken = textAt(recordAt(workload.raw, 'status'), 'updateRevision');
  if (broken === undefined) return [];
  return pods
    .filter((pod) => pod.owners.some(({ uid }) => uid === workload.uid))
    .filter((pod) => pod.labels[REVISION_LABEL] === broken && !pod.ready)
    .filter((pod) => pod.deletingSince === undefined && !ENDED.has(pod.phase))
    .slice(0, MAX_REMOVALS)
    .map(({ name, uid }) => ({ name, uid }));
}

/** How a plan states the removal. A person approves the deletion together with the eviction. */
export function removalChange({ name }: PodRemoval): SpecChange {
  return {
    path: `pods/${name}`,
    from: 'present, not ready',
    to: 'evicted after the rollback; deleted if its disruption budget refuses although it is not ready',
  };
}
