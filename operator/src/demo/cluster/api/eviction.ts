import { listAt, numberAt, recordAt, textAt } from '../json-at.ts';
import type { KubeObject } from '../object.ts';
import type { ObjectStore } from '../store.ts';
import { PODS } from '../type-key.ts';
import { storing } from './checked.ts';
import { removeOptions, requirePreconditions } from './delete.ts';
import { type Answer, type Exchange, succeeded } from './exchange.ts';
import { storedObject } from './modify.ts';
import { labelSelectorTest, labelsOf } from './selectors.ts';
import { ApiError } from './status.ts';

const BUDGETS = { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets' };

/** `pods/eviction`: a delete that asks the disruption budgets first. */
export function evict(exchange: Exchange): Answer {
  const { context, body, dryRun, query } = exchange;
  const pod = storedObject(exchange);
  const { name, namespace = '' } = pod.metadata;
  const how = removeOptions(recordAt(body, 'deleteOptions'), query);
  requirePreconditions(exchange.resource, pod, how);
  const refusal = refusalBy(context.store, pod);
  if (refusal) throw refusal;
  const store = dryRun ? context.store.preview : context.store;
  storing(exchange, name, () => store.remove(PODS, namespace, name, how));
  return succeeded(201);
}

function refusalBy(store: ObjectStore, pod: KubeObject): ApiError | undefined {
  const phase = textAt(pod, 'status', 'phase');
  if (phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending' || pod.metadata.deletionTimestamp)
    return undefined;
  const { namespace = '' } = pod.metadata;
  const budgets = store.list(BUDGETS, namespace).filter((each) => isCovered(each, pod));
  if (budgets.length > 1) {
    return new ApiError(
      500,
      'InternalError',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  const [budget] = budgets;
  if (!budget) return undefined;
  const pods = store.list(PODS, namespace).filter((each) => isCovered(budget, each));
  const healthy = pods.filter(isHealthy).length;
  const wanted = desiredHealthy(budget, pods.length);
  if (healthy > wanted || (!isHealthy(pod) && healthy >= wanted && wanted > 0)) return undefined;
  const cause = `The disruption budget ${budget.metadata.name} needs ${wanted} healthy pods and has ${healthy} currently`;
  return new ApiError(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: 'DisruptionBudget', message: cause }],
  });
}

function isCovered(budget: KubeObject, pod: KubeObject): boolean {
  return labelSelectorTest(recordAt(budget, 'spec').selector)(labelsOf(pod));
}

function isHealthy(pod: KubeObject): boolean {
  if (pod.metadata.deletionTimestamp) return false;
  return listAt(pod, 'status', 'conditions').some(
    (each) => textAt(each, 'type') === 'Ready' && textAt(each, 'status') === 'True',
  );
}

/** The controller's figure where there is one: it knows how many pods the workload wants, here only those that exist are counted. */
function desiredHealthy(budget: KubeObject, existing: number): number {
  const known = numberAt(budget, 'status', 'desiredHealthy');
  if (known !== undefined && numberAt(budget, 'status', 'observedGeneration') !== undefined) return known;
  const { minAvailable, maxUnavailable } = recordAt(budget, 'spec');
  if (minAvailable !== undefined) return share(minAvailable, existing);
  return Math.max(0, existing - share(maxUnavailable ?? 1, existing));
}

function share(value: unknown, whole: number): number {
  if (typeof value === 'number') return value;
  const percent = Number(/^(\d+)%$/.exec(String(value))?.[1] ?? Number.NaN);
  return Number.isNaN(percent) ? 0 : Math.ceil((percent / 100) * whole);
}
