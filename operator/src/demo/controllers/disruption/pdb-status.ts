import { withCondition } from '../shape/conditions.ts';
import { scaledValue } from '../shape/int-or-percent.ts';
import type { Pod } from '../shape/pod.ts';
import { isReady, isTerminating } from '../shape/pod-facts.ts';
import type { PodDisruptionBudget } from '../shape/workloads.ts';

type Status = NonNullable<PodDisruptionBudget['status']>;

/**
 * How many of the selected pods may be evicted now. `expectedScale` is how many their controllers want in all, which is what
 * percentages and a maximum are measured against.
 */
export function pdbStatus(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  expectedScale: number,
  now: string,
): Status {
  const { minAvailable, maxUnavailable } = budget.spec;
  const counted = typeof minAvailable === 'number' && maxUnavailable === undefined ? pods.length : expectedScale;
  const desired =
    maxUnavailable !== undefined
      ? Math.max(0, counted - scaledValue(maxUnavailable, counted, 'up'))
      : scaledValue(minAvailable ?? 1, counted, 'up');
  const healthy = pods.filter((pod) => isReady(pod) && !isTerminating(pod)).length;
  const allowed = counted <= 0 ? 0 : Math.max(0, healthy - desired);
  const conditions = withCondition(budget.status?.conditions ?? [], {
    type: 'DisruptionAllowed',
    status: allowed > 0 ? 'True' : 'False',
    reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
    message: '',
    lastTransitionTime: now,
    ...generationOf(budget),
  });
  return {
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: counted,
    disruptionsAllowed: allowed,
    ...generationOf(budget),
    conditions,
  };
}

function generationOf({ metadata }: PodDisruptionBudget): { readonly observedGeneration?: number } {
  return metadata.generation === undefined ? {} : { observedGeneration: metadata.generation };
}
