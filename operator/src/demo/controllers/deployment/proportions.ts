import { byAge } from '../shape/ownership.ts';
import type { Deployment, ReplicaSet } from '../shape/workloads.ts';
import { fenceposts, replicasOf } from './fenceposts.ts';
import { countAnnotation, MAX_REPLICAS } from './revision.ts';

/**
 * The sizes that several active ReplicaSets take when their Deployment is scaled in the middle of a rollout: each keeps its share,
 * so that scaling does not hasten a rollout that may be going wrong. What rounding leaves over goes to the largest.
 */
export function proportionalSizes(deployment: Deployment, active: readonly ReplicaSet[]): ReadonlyMap<string, number> {
  const replicas = replicasOf(deployment);
  const total = active.reduce((sum, replicaSet) => sum + replicasOf(replicaSet), 0);
  const allowed = replicas > 0 ? replicas + fenceposts(deployment).surge : 0;
  const toAdd = allowed - total;
  const ordered = [...active].sort((a, b) => replicasOf(b) - replicasOf(a) || (toAdd < 0 ? byAge(a, b) : byAge(b, a)));

  const sizes = new Map<string, number>();
  let added = 0;
  for (const replicaSet of ordered) {
    const share = toAdd === 0 ? 0 : proportion(deployment, replicaSet, toAdd, added);
    sizes.set(replicaSet.metadata.name, replicasOf(replicaSet) + share);
    added += share;
  }
  const largest = ordered[0];
  if (largest !== undefined && toAdd !== 0) {
    const name = largest.metadata.name;
    sizes.set(name, Math.max(0, (sizes.get(name) ?? 0) + toAdd - added));
  }
  return sizes;
}

function proportion(deployment: Deployment, replicaSet: ReplicaSet, toAdd: number, added: number): number {
  if (replicasOf(replicaSet) === 0 || toAdd === added) return 0;
  const share = fraction(deployment, replicaSet);
  return toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added);
}

function fraction(deployment: Deployment, replicaSet: ReplicaSet): number {
  const size = replicasOf(replicaSet);
  if (replicasOf(deployment) === 0) return -size;
  const before = countAnnotation(replicaSet, MAX_REPLICAS) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  const after = replicasOf(deployment) + fenceposts(deployment).surge;
  return Math.round((size * after) / before) - size;
}
