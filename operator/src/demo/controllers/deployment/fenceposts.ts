import { scaledValue } from '../shape/int-or-percent.ts';
import type { Deployment } from '../shape/workloads.ts';

/** How far a rollout may stray from the wanted number of pods, above and below, in pods. */
export interface Fenceposts {
  readonly surge: number;
  readonly unavailable: number;
}

export function replicasOf(object: { readonly spec: { readonly replicas?: number } }): number {
  return object.spec.replicas ?? 1;
}

export function isRollingUpdate(deployment: Deployment): boolean {
  return deployment.spec.strategy?.type !== 'Recreate';
}

/**
 * Surge is rounded up and unavailability down. Where both come out as nothing, one pod may be unavailable: a rollout that may
 * neither add nor remove a pod would never move.
 */
export function fenceposts(deployment: Deployment): Fenceposts {
  if (!isRollingUpdate(deployment)) return { surge: 0, unavailable: 0 };
  const replicas = replicasOf(deployment);
  const rolling = deployment.spec.strategy?.rollingUpdate;
  const surge = scaledValue(rolling?.maxSurge ?? '25%', replicas, 'up');
  const rounded = scaledValue(rolling?.maxUnavailable ?? '25%', replicas, 'down');
  const unavailable = surge === 0 && rounded === 0 ? 1 : rounded;
  return { surge, unavailable: replicas === 0 ? 0 : Math.min(unavailable, replicas) };
}
