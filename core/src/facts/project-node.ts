import type { NodeFact } from './facts.ts';
import { projectConditions, projectMeta } from './project-meta.ts';
import { parseQuantity, projectAmounts } from './quantity.ts';
import { given, type Raw, recordAt, recordsAt, textAt } from './raw.ts';

export function projectNode(object: Raw): NodeFact {
  const { name, uid, labels } = projectMeta(object);
  const spec = recordAt(object, 'spec');
  const allocatable = recordAt(object, 'status', 'allocatable');
  const conditions = projectConditions(object);
  return {
    name,
    uid,
    ready: readiness(conditions.find((condition) => condition.type === 'Ready')?.status),
    conditions,
    unschedulable: spec.unschedulable === true,
    taints: recordsAt(spec, 'taints').map((taint) => ({
      key: textAt(taint, 'key') ?? '',
      ...given('value', textAt(taint, 'value')),
      effect: textAt(taint, 'effect') ?? '',
    })),
    allocatable: { ...projectAmounts(allocatable), ...given('pods', parseQuantity(allocatable.pods)) },
    labels,
  };
}

function readiness(status: string | undefined): NodeFact['ready'] {
  return status === 'True' || status === 'False' ? status : 'Unknown';
}
