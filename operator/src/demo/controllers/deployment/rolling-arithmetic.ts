import { byAge } from '../shape/ownership.ts';
import type { Deployment, ReplicaSet } from '../shape/workloads.ts';
import { fenceposts, isRollingUpdate, replicasOf } from './fenceposts.ts';

export interface Resize {
  readonly replicaSet: ReplicaSet;
  readonly to: number;
}

/** The size of the current ReplicaSet: as large as wanted pods and surge allow beside what the others still have. */
export function reconcileNew(deployment: Deployment, all: readonly ReplicaSet[], current: ReplicaSet): Resize {
  const [wanted, size] = [replicasOf(deployment), replicasOf(current)];
  if (size >= wanted) return { replicaSet: current, to: wanted };
  return { replicaSet: current, to: size + roomToGrow(deployment, all, size) };
}

/** How many pods may be added to a ReplicaSet of the given size. */
export function roomToGrow(deployment: Deployment, all: readonly ReplicaSet[], size: number): number {
  const wanted = replicasOf(deployment);
  if (!isRollingUpdate(deployment)) return wanted - size;
  const total = all.reduce((sum, replicaSet) => sum + replicasOf(replicaSet), 0);
  return Math.max(0, Math.min(wanted + fenceposts(deployment).surge - total, wanted - size));
}

/**
 * Which old ReplicaSets shrink, and to what. Unhealthy old pods go first, since losing them costs nothing; healthy ones go only
 * as far as enough others are available. New pods that are not available yet count against both.
 */
export function reconcileOld(
  deployment: Deployment,
  current: ReplicaSet,
  old: readonly ReplicaSet[],
): readonly Resize[] {
  const active = old.filter((replicaSet) => replicasOf(replicaSet) > 0).sort(byAge);
  const total = [...active, current].reduce((sum, replicaSet) => sum + replicasOf(replicaSet), 0);
  const minimum = replicasOf(deployment) - fenceposts(deployment).unavailable;
  const newUnavailable = replicasOf(current) - available(current);
  const mayRemove = total - minimum - newUnavailable;
  if (active.length === 0 || mayRemove <= 0) return [];

  const sizes = new Map(active.map((replicaSet) => [replicaSet, replicasOf(replicaSet)]));
  let removed = 0;
  for (const replicaSet of active) {
    const unhealthy = Math.min(mayRemove - removed, replicasOf(replicaSet) - available(replicaSet));
    if (unhealthy <= 0) continue;
    sizes.set(replicaSet, replicasOf(replicaSet) - unhealthy);
    removed += unhealthy;
  }
  let spare = [...active, current].reduce((sum, replicaSet) => sum + available(replicaSet), 0) - minimum;
  for (const replicaSet of active) {
    const size = sizes.get(replicaSet) ?? 0;
    const shrink = Math.max(0, Math.min(size, spare));
    sizes.set(replicaSet, size - shrink);
    spare -= shrink;
  }
  return active
    .map((replicaSet) => ({ replicaSet, to: sizes.get(replicaSet) ?? 0 }))
    .filter(({ replicaSet, to }) => to !== replicasOf(replicaSet));
}

function available(replicaSet: ReplicaSet): number {
  return replicaSet.status?.availableReplicas ?? 0;
}
