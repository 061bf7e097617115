import type { Condition } from '../shape/condition.ts';
import { findCondition, withCondition } from '../shape/conditions.ts';
import { byAge } from '../shape/ownership.ts';
import type { Deployment, DeploymentStatus, ReplicaSet } from '../shape/workloads.ts';
import { condition, deploymentStatus, hasProgressDeadline, isComplete } from './deployment-status.ts';
import { fenceposts, isRollingUpdate, replicasOf } from './fenceposts.ts';
import { newReplicaSet } from './new-replica-set.ts';
import { proportionalSizes } from './proportions.ts';
import {
  countAnnotation,
  DESIRED_REPLICAS,
  findNewReplicaSet,
  highestRevision,
  inheritedAnnotations,
  REVISION,
  revisionOf,
  sameAnnotations,
  sizeAnnotations,
} from './revision.ts';
import { reconcileNew, reconcileOld } from './rolling-arithmetic.ts';
import type { RolloutDraft, RolloutStep } from './rollout-step.ts';

export interface DeploymentFacts {
  readonly deployment: Deployment;
  /** The ReplicaSets that the Deployment controls. */
  readonly owned: readonly ReplicaSet[];
  /** Whether pods of a ReplicaSet other than the current one are still there and not finished. */
  readonly oldPodsRunning: boolean;
  readonly now: string;
  /** Simulated milliseconds since the condition Progressing was last updated. */
  readonly sinceProgress: number | undefined;
}

/** What to write, in order; the status last. */
export interface DeploymentDecision {
  readonly kind: 'status-only' | 'paused' | 'scaling' | 'rolling' | 'recreating';
  readonly steps: readonly RolloutStep[];
  readonly status: DeploymentStatus;
}

/** One look at a Deployment: which ReplicaSets it needs, of what size, and what its status says then. */
export function decideDeployment(facts: DeploymentFacts): DeploymentDecision {
  const { deployment } = facts;
  const draft: RolloutDraft = {
    owned: [...facts.owned].sort(byAge),
    steps: [],
    conditions: deployment.status?.conditions ?? [],
    revision: deployment.metadata.annotations?.[REVISION],
  };
  if (deployment.metadata.deletionTimestamp !== undefined) return finish(facts, draft, 'status-only', false);

  draft.conditions = pauseConditions(deployment, draft.conditions, facts.now);
  keepRevision(facts, draft);
  if (deployment.spec.paused === true || isScaling(deployment, draft.owned)) {
    scale(deployment, draft);
    if (deployment.spec.paused === true) cleanUp(deployment, draft);
    return finish(facts, draft, deployment.spec.paused === true ? 'paused' : 'scaling', false);
  }
  if (isRollingUpdate(deployment)) {
    ensureNew(facts, draft);
    roll(deployment, draft);
    return finish(facts, draft, 'rolling', true);
  }
  recreate(facts, draft);
  return finish(facts, draft, 'recreating', true);
}

function finish(
  facts: DeploymentFacts,
  draft: RolloutDraft,
  kind: DeploymentDecision['kind'],
  judgeProgress: boolean,
): DeploymentDecision {
  const { deployment, now, sinceProgress } = facts;
  const current = findNewReplicaSet(deployment, draft.owned);
  const { conditions, owned: all } = draft;
  const status = deploymentStatus({ deployment, all, current, conditions, now, sinceProgress, judgeProgress });
  return { kind, steps: draft.steps, status };
}

/** Progress is not estimated while paused, and the clock starts anew on resuming. */
function pauseConditions(deployment: Deployment, conditions: readonly Condition[], now: string): readonly Condition[] {
  const current = findCondition(conditions, 'Progressing');
  if (!hasProgressDeadline(deployment) || current?.reason === 'ProgressDeadlineExceeded') return conditions;
  const wasPaused = current?.reason === 'DeploymentPaused';
  if (deployment.spec.paused === true && !wasPaused)
    return withCondition(
      conditions,
      condition('Progressing', 'Unknown', 'DeploymentPaused', 'Deployment is paused', now),
    );
  if (deployment.spec.paused !== true && wasPaused)
    return withCondition(
      conditions,
      condition('Progressing', 'Unknown', 'DeploymentResumed', 'Deployment is resumed', now),
    );
  return conditions;
}

function split(
  deployment: Deployment,
  owned: readonly ReplicaSet[],
): { current: ReplicaSet | undefined; old: readonly ReplicaSet[] } {
  const current = findNewReplicaSet(deployment, owned);
  return { current, old: owned.filter((replicaSet) => replicaSet !== current) };
}

/** An existing ReplicaSet with the wanted template becomes the newest revision. */
function keepRevision(facts: DeploymentFacts, draft: RolloutDraft): void {
  const { deployment, now } = facts;
  const { current, old } = split(deployment, draft.owned);
  if (current === undefined) return;
  const annotations = inheritedAnnotations(deployment, current.metadata.annotations ?? {}, highestRevision(old) + 1);
  const minReadySeconds = deployment.spec.minReadySeconds ?? 0;
  const stale = (current.spec.minReadySeconds ?? 0) !== minReadySeconds;
  if (stale || !sameAnnotations(current.metadata.annotations, annotations))
    change(draft, {
      ...current,
      metadata: { ...current.metadata, annotations: { ...annotations } },
      spec: stale ? { ...current.spec, minReadySeconds } : current.spec,
    });
  setRevision(draft, annotations[REVISION] ?? '1');
  if (hasProgressDeadline(deployment) && findCondition(draft.conditions, 'Progressing') === undefined) {
    const found = `Found new replica set "${current.metadata.name}"`;
    draft.conditions = withCondition(
      draft.conditions,
      condition('Progressing', 'True', 'FoundNewReplicaSet', found, now),
    );
  }
}

function setRevision(draft: RolloutDraft, revision: string): void {
  if (draft.revision === revision) return;
  draft.revision = revision;
  draft.steps.push({ kind: 'set-revision', revision });
}

function ensureNew(facts: DeploymentFacts, draft: RolloutDraft): void {
  const { deployment, now } = facts;
  const { current, old } = split(deployment, draft.owned);
  if (current !== undefined) return;
  const revision = highestRevision(old) + 1;
  const created = newReplicaSet(deployment, draft.owned, revision);
  const size = replicasOf(created);
  const name = created.metadata.name;
  draft.owned.push(created);
  draft.steps.push({
    kind: 'create',
    replicaSet: created,
    scaled: size > 0 ? `Scaled up replica set ${name} from 0 to ${size}` : undefined,
  });
  setRevision(draft, String(revision));
  if (hasProgressDeadline(deployment))
    draft.conditions = withCondition(
      draft.conditions,
      condition('Progressing', 'True', 'NewReplicaSetCreated', `Created new replica set "${name}"`, now),
    );
}

/** Scaling is told from rolling out by what the active ReplicaSets remember as the wanted size. */
function isScaling(deployment: Deployment, owned: readonly ReplicaSet[]): boolean {
  const wanted = replicasOf(deployment);
  return owned
    .filter((replicaSet) => replicasOf(replicaSet) > 0)
    .some((replicaSet) => (countAnnotation(replicaSet, DESIRED_REPLICAS) ?? wanted) !== wanted);
}

function scale(deployment: Deployment, draft: RolloutDraft): void {
  const { current, old } = split(deployment, draft.owned);
  const active = draft.owned.filter((replicaSet) => replicasOf(replicaSet) > 0);
  const single = active.length > 1 ? undefined : (active[0] ?? current ?? [...old].sort(byAge).at(-1));
  if (single !== undefined) {
    if (replicasOf(single) !== replicasOf(deployment)) resize(deployment, draft, single, replicasOf(deployment));
    return;
  }
  if (current !== undefined && isSaturated(deployment, current)) {
    for (const replicaSet of active) if (replicaSet !== current) resize(deployment, draft, replicaSet, 0);
    return;
  }
  if (!isRollingUpdate(deployment)) return;
  const sizes = proportionalSizes(deployment, active);
  for (const replicaSet of active)
    resize(deployment, draft, replicaSet, sizes.get(replicaSet.metadata.name) ?? replicasOf(replicaSet), true);
}

function isSaturated(deployment: Deployment, current: ReplicaSet): boolean {
  const wanted = replicasOf(deployment);
  return (
    replicasOf(current) === wanted &&
    countAnnotation(current, DESIRED_REPLICAS) === wanted &&
    (current.status?.availableReplicas ?? 0) === wanted
  );
}

function roll(deployment: Deployment, draft: RolloutDraft): void {
  const { current, old } = split(deployment, draft.owned);
  if (current === undefined) return;
  const grown = reconcileNew(deployment, draft.owned, current);
  if (grown.to !== replicasOf(current)) {
    resize(deployment, draft, current, grown.to);
    return;
  }
  const shrunk = reconcileOld(deployment, current, old);
  for (const { replicaSet, to } of shrunk) resize(deployment, draft, replicaSet, to);
  if (shrunk.length === 0) cleanUpWhenComplete(deployment, draft);
}

function recreate(facts: DeploymentFacts, draft: RolloutDraft): void {
  const { deployment } = facts;
  const { old } = split(deployment, draft.owned);
  const activeOld = old.filter((replicaSet) => replicasOf(replicaSet) > 0);
  for (const replicaSet of activeOld) resize(deployment, draft, replicaSet, 0);
  const oldLeft = facts.oldPodsRunning || old.some((replicaSet) => (replicaSet.status?.replicas ?? 0) > 0);
  if (activeOld.length > 0 || oldLeft) return;
  ensureNew(facts, draft);
  const { current } = split(deployment, draft.owned);
  if (current !== undefined) resize(deployment, draft, current, replicasOf(deployment));
  cleanUpWhenComplete(deployment, draft);
}

function resize(deployment: Deployment, draft: RolloutDraft, replicaSet: ReplicaSet, to: number, always = false): void {
  const from = replicasOf(replicaSet);
  const annotations = {
    ...replicaSet.metadata.annotations,
    ...sizeAnnotations(replicasOf(deployment), fenceposts(deployment).surge),
  };
  if (from === to && !always) return;
  if (from === to && sameAnnotations(replicaSet.metadata.annotations, annotations)) return;
  const name = replicaSet.metadata.name;
  const scaled =
    from === to ? undefined : `Scaled ${from < to ? 'up' : 'down'} replica set ${name} from ${from} to ${to}`;
  const resized: ReplicaSet = {
    ...replicaSet,
    metadata: { ...replicaSet.metadata, annotations },
    spec: { ...replicaSet.spec, replicas: to },
  };
  change(draft, resized, scaled);
}

function change(draft: RolloutDraft, replicaSet: ReplicaSet, scaled?: string): void {
  const index = draft.owned.findIndex((candidate) => candidate.metadata.name === replicaSet.metadata.name);
  draft.owned[index] = replicaSet;
  draft.steps.push({ kind: 'change', replicaSet, scaled });
}

function cleanUpWhenComplete(deployment: Deployment, draft: RolloutDraft): void {
  const status = deployment.status ?? {};
  const counters = {
    replicas: status.replicas ?? 0,
    updated: status.updatedReplicas ?? 0,
    available: status.availableReplicas ?? 0,
  };
  const observed = (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0);
  if (observed && isComplete(deployment, counters)) cleanUp(deployment, draft);
}

/** Drops the oldest revisions beyond the limit, but none that still has or wants pods. */
function cleanUp(deployment: Deployment, draft: RolloutDraft): void {
  const { old } = split(deployment, draft.owned);
  const removable = old.filter((replicaSet) => replicaSet.metadata.deletionTimestamp === undefined);
  const excess = removable.length - (deployment.spec.revisionHistoryLimit ?? 10);
  if (excess <= 0) return;
  const oldestFirst = [...removable].sort((a, b) => revisionOf(a) - revisionOf(b) || byAge(a, b));
  for (const replicaSet of oldestFirst.slice(0, excess)) {
    const observed = (replicaSet.status?.observedGeneration ?? 0) >= (replicaSet.metadata.generation ?? 0);
    if (replicasOf(replicaSet) !== 0 || (replicaSet.status?.replicas ?? 0) !== 0 || !observed) continue;
    draft.owned.splice(draft.owned.indexOf(replicaSet), 1);
    draft.steps.push({ kind: 'delete', replicaSet });
  }
}
