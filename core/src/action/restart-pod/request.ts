import { evictByUid } from '../delete.ts';
import type { FreshTarget, PlannedWrite } from '../kind.ts';
import { impossible } from '../patch.ts';
import { listAt, valueAt } from '../raw-object.ts';
import type { ActionRequest } from '../types.ts';

/** Evicts the pod so that its controller makes a new one. A delete would ignore disruption budgets. A pod without a controller would only be lost, so it is refused. */
export function restartRequest(_request: ActionRequest<'RestartPod'>, fresh: FreshTarget): PlannedWrite {
  const controlled = listAt(fresh.object, '/metadata/ownerReferences').some(
    (owner) => valueAt(owner, '/controller') === true,
  );
  if (!controlled) return impossible('target-kind', 'expected a pod with a controller that makes it again, found none');
  return evictByUid(fresh.object);
}
