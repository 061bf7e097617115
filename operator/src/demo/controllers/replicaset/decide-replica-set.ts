import { withCondition, withoutCondition } from '../shape/conditions.ts';
import { containsLabels } from '../shape/label-selector.ts';
import type { Pod } from '../shape/pod.ts';
import { isActive, isReady, isTerminating } from '../shape/pod-facts.ts';
import type { ReplicaSet, ReplicaSetStatus } from '../shape/workloads.ts';
import { podsToDelete } from './deletion-ranking.ts';

export interface ReplicaSetFacts {
  readonly replicaSet: ReplicaSet;
  /** The pods that the ReplicaSet controls and selects, finished ones included. */
  readonly pods: readonly Pod[];
  readonly now: Date;
  /** Simulated milliseconds that a ready pod has been ready. */
  readonly readyFor: (pod: Pod) => number;
}

/** A count to make, the very pods to give up, or neither. At most so many in one look as a real controller takes on. */
export type ReplicaSetDecision =
  | { readonly kind: 'create'; readonly count: number }
  | { readonly kind: 'delete'; readonly pods: readonly Pod[] }
  | { readonly kind: 'keep' };

const BURST = 500;

export function decideReplicaSet({ replicaSet, pods, now }: ReplicaSetFacts): ReplicaSetDecision {
  if (replicaSet.metadata.deletionTimestamp !== undefined) return { kind: 'keep' };
  const active = pods.filter(isActive);
  const surplus = active.length - (replicaSet.spec.replicas ?? 1);
  if (surplus < 0) return { kind: 'create', count: Math.min(-surplus, BURST) };
  if (surplus > 0) return { kind: 'delete', pods: podsToDelete(active, Math.min(surplus, BURST), now) };
  return { kind: 'keep' };
}

/** What went wrong while the pods were made or given up, as the condition says it. */
export interface ReplicaFailure {
  readonly reason: 'FailedCreate' | 'FailedDelete';
  readonly message: string;
}

export function replicaSetStatus(
  facts: ReplicaSetFacts,
  failure: ReplicaFailure | undefined,
  now: string,
): ReplicaSetStatus {
  const { replicaSet, pods } = facts;
  const active = pods.filter(isActive);
  const ready = active.filter(isReady);
  const labels = replicaSet.spec.template.metadata?.labels ?? {};
  const conditions = failureConditions(replicaSet, failure, now);
  return {
    replicas: active.length,
    ...positive('fullyLabeledReplicas', active.filter((pod) => containsLabels(pod.metadata.labels, labels)).length),
    ...positive('readyReplicas', ready.length),
    ...positive('availableReplicas', ready.filter((pod) => isAvailable(facts, pod)).length),
    terminatingReplicas: pods.filter(isTerminating).length,
    ...(replicaSet.metadata.generation === undefined ? {} : { observedGeneration: replicaSet.metadata.generation }),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

/** Simulated milliseconds until the next ready pod counts as available; nothing when none is waiting for that. */
export function nextAvailability(facts: ReplicaSetFacts): number | undefined {
  const waiting = facts.pods.filter((pod) => isActive(pod) && isReady(pod) && !isAvailable(facts, pod));
  if (waiting.length === 0) return undefined;
  return Math.max(0, Math.min(...waiting.map((pod) => minimumReady(facts) - facts.readyFor(pod))));
}

function isAvailable(facts: ReplicaSetFacts, pod: Pod): boolean {
  const minimum = minimumReady(facts);
  return minimum === 0 || facts.readyFor(pod) >= minimum;
}

function minimumReady({ replicaSet }: ReplicaSetFacts): number {
  return (replicaSet.spec.minReadySeconds ?? 0) * 1000;
}

function failureConditions(replicaSet: ReplicaSet, failure: ReplicaFailure | undefined, now: string) {
  const before = replicaSet.status?.conditions ?? [];
  if (failure === undefined) return withoutCondition(before, 'ReplicaFailure');
  return withCondition(before, { type: 'ReplicaFailure', status: 'True', lastTransitionTime: now, ...failure });
}

function positive(field: string, value: number): Readonly<Record<string, number>> {
  return value > 0 ? { [field]: value } : {};
}
