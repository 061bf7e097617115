import type { Condition } from '../shape/condition.ts';
import { findCondition, withCondition, withoutCondition } from '../shape/conditions.ts';
import type { Deployment, DeploymentStatus, ReplicaSet } from '../shape/workloads.ts';
import { fenceposts, replicasOf } from './fenceposts.ts';

/** A Deployment's counters in full; the status leaves out those that are zero. */
export interface Counters {
  readonly replicas: number;
  readonly updated: number;
  readonly ready: number;
  readonly available: number;
  readonly unavailable: number;
  readonly terminating: number;
}

const NEVER = 2_147_483_647;

export function hasProgressDeadline(deployment: Deployment): boolean {
  return deadlineSeconds(deployment) !== NEVER;
}

export function deadlineSeconds(deployment: Deployment): number {
  return deployment.spec.progressDeadlineSeconds ?? 600;
}

export function count(all: readonly ReplicaSet[], current: ReplicaSet | undefined): Counters {
  const sum = (field: (replicaSet: ReplicaSet) => number | undefined): number =>
    all.reduce((total, replicaSet) => total + (field(replicaSet) ?? 0), 0);
  const available = sum((replicaSet) => replicaSet.status?.availableReplicas);
  return {
    replicas: sum((replicaSet) => replicaSet.status?.replicas),
    updated: current?.status?.replicas ?? 0,
    ready: sum((replicaSet) => replicaSet.status?.readyReplicas),
    available,
    unavailable: Math.max(0, sum(replicasOf) - available),
    terminating: sum((replicaSet) => replicaSet.status?.terminatingReplicas),
  };
}

/** Everything wanted is updated and available, and nothing old is left. */
export function isComplete(
  deployment: Deployment,
  counters: Pick<Counters, 'replicas' | 'updated' | 'available'>,
): boolean {
  const wanted = replicasOf(deployment);
  return counters.updated === wanted && counters.replicas === wanted && counters.available === wanted;
}

export interface StatusFacts {
  readonly deployment: Deployment;
  readonly all: readonly ReplicaSet[];
  readonly current: ReplicaSet | undefined;
  /** The conditions as this look has changed them so far. */
  readonly conditions: readonly Condition[];
  readonly now: string;
  /** Simulated milliseconds since the rollout last showed progress; nothing when no condition says so. */
  readonly sinceProgress: number | undefined;
  /** Whether progress is judged: not while paused, scaling or being deleted. */
  readonly judgeProgress: boolean;
}

export function deploymentStatus(facts: StatusFacts): DeploymentStatus {
  const { deployment, conditions: before } = facts;
  const counters = count(facts.all, facts.current);
  let conditions = withCondition(before, availability(deployment, counters, facts.now));
  if (facts.judgeProgress) {
    conditions = progress(facts, counters, conditions);
    conditions = replicaFailure(facts, conditions);
  }
  const collisions = deployment.status?.collisionCount;
  return {
    ...(deployment.metadata.generation === undefined ? {} : { observedGeneration: deployment.metadata.generation }),
    ...nonZero({
      replicas: counters.replicas,
      updatedReplicas: counters.updated,
      readyReplicas: counters.ready,
      availableReplicas: counters.available,
      unavailableReplicas: counters.unavailable,
    }),
    terminatingReplicas: counters.terminating,
    ...(collisions === undefined ? {} : { collisionCount: collisions }),
    conditions,
  };
}

export function condition(
  type: string,
  status: Condition['status'],
  reason: string,
  message: string,
  now: string,
): Condition {
  return { type, status, lastUpdateTime: now, lastTransitionTime: now, reason, message };
}

function availability(deployment: Deployment, counters: Counters, now: string): Condition {
  return counters.available >= replicasOf(deployment) - fenceposts(deployment).unavailable
    ? condition('Available', 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.', now)
    : condition(
        'Available',
        'False',
        'MinimumReplicasUnavailable',
        'Deployment does not have minimum availability.',
        now,
      );
}

function progress(facts: StatusFacts, counters: Counters, conditions: readonly Condition[]): readonly Condition[] {
  const { deployment, now } = facts;
  if (!hasProgressDeadline(deployment)) return withoutCondition(conditions, 'Progressing');
  const current = findCondition(facts.conditions, 'Progressing');
  // A finished rollout is not judged again when a pod of it fails later: that is no rollout's lack of progress.
  if (counters.replicas === counters.updated && current?.reason === 'NewReplicaSetAvailable') return conditions;

  const subject =
    facts.current === undefined
      ? `Deployment "${deployment.metadata.name}"`
      : `ReplicaSet "${facts.current.metadata.name}"`;
  if (isComplete(deployment, counters)) {
    const done = `${subject} has successfully progressed.`;
    return withCondition(conditions, condition('Progressing', 'True', 'NewReplicaSetAvailable', done, now));
  }
  if (hasProgressed(deployment.status ?? {}, counters)) {
    const next = condition('Progressing', 'True', 'ReplicaSetUpdated', `${subject} is progressing.`, now);
    const kept = current?.status === 'True' ? current.lastTransitionTime : undefined;
    // Written anew even when the reason stays: the time of update is what the deadline counts from.
    const rest = current === undefined ? conditions : withoutCondition(conditions, 'Progressing');
    return [...rest, kept === undefined ? next : { ...next, lastTransitionTime: kept }];
  }
  if (isTimedOut(facts, current)) {
    const late = `${subject} has timed out progressing.`;
    return withCondition(conditions, condition('Progressing', 'False', 'ProgressDeadlineExceeded', late, now));
  }
  return conditions;
}

function hasProgressed(before: DeploymentStatus, counters: Counters): boolean {
  const oldBefore = (before.replicas ?? 0) - (before.updatedReplicas ?? 0);
  return (
    counters.updated > (before.updatedReplicas ?? 0) ||
    counters.replicas - counters.updated < oldBefore ||
    counters.ready > (before.readyReplicas ?? 0) ||
    counters.available > (before.availableReplicas ?? 0)
  );
}

function isTimedOut(facts: StatusFacts, current: Condition | undefined): boolean {
  if (current === undefined || current.reason === 'NewReplicaSetAvailable') return false;
  if (current.reason === 'ProgressDeadlineExceeded') return true;
  return facts.sinceProgress !== undefined && facts.sinceProgress > deadlineSeconds(facts.deployment) * 1000;
}

function replicaFailure(facts: StatusFacts, conditions: readonly Condition[]): readonly Condition[] {
  const ordered = facts.current === undefined ? facts.all : [facts.current, ...facts.all];
  const failure = ordered
    .flatMap((replicaSet) => replicaSet.status?.conditions ?? [])
    .find((candidate) => candidate.type === 'ReplicaFailure');
  if (failure === undefined) return withoutCondition(conditions, 'ReplicaFailure');
  const at = failure.lastTransitionTime ?? facts.now;
  return withCondition(
    conditions,
    condition('ReplicaFailure', failure.status, failure.reason ?? '', failure.message ?? '', at),
  );
}

function nonZero<T extends Record<string, number>>(counters: T): Partial<T> {
  return Object.fromEntries(Object.entries(counters).filter(([, value]) => value !== 0)) as Partial<T>;
}
