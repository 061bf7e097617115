import type { PlannedWrite, Presence, Readback } from './kind.ts';
import { impossible } from './patch.ts';
import { type RawObject, textAt, valueAt } from './raw-object.ts';
import { TARGET_RESOURCES } from './workload-resource.ts';

/** Deletes one object, this very one: its uid is the precondition, since a name may already belong to its successor. */
export function deleteByUid(object: RawObject, propagation?: 'Background'): PlannedWrite {
  const where = TARGET_RESOURCES[textAt(object, '/kind') ?? ''];
  const uid = textAt(object, '/metadata/uid');
  const namespace = textAt(object, '/metadata/namespace');
  const name = textAt(object, '/metadata/name');
  if (where === undefined || uid === undefined || namespace === undefined || name === undefined)
    return impossible('malformed-object', 'expected an object with kind, uid, namespace and name');
  if (valueAt(object, '/metadata/deletionTimestamp') !== undefined)
    return impossible('already-deleting', `${name} is already being deleted`);
  return {
    kind: 'write',
    write: {
      verb: 'delete',
      ...where,
      namespace,
      name,
      preconditions: { uid },
      ...(propagation === undefined ? {} : { propagation }),
    },
  };
}

/** Evicts one pod, this very one. Unlike a delete it respects the disruption budget that covers the pod. */
export function evictByUid(pod: RawObject): PlannedWrite {
  const planned = deleteByUid(pod);
  if (planned.kind === 'impossible' || planned.write.verb !== 'delete') return planned;
  const { namespace, name, preconditions } = planned.write;
  return {
    kind: 'write',
    write: {
      verb: 'evict',
      apiVersion: 'v1',
      resource: 'pods',
      namespace,
      name,
      preconditions: { uid: preconditions.uid },
    },
  };
}

/** A delete leaves no stamp, and none is needed: whoever removed it, it is not there to be deleted twice. */
export function deleteReadback(uid: string, present: Presence): Readback {
  if (present.kind === 'gone') return { kind: 'applied', reason: 'target-gone', message: 'the object is gone' };
  if (textAt(present.object, '/metadata/uid') !== uid)
    return {
      kind: 'applied',
      reason: 'target-replaced',
      message: 'another object has taken the name, so the one named is gone',
    };
  if (valueAt(present.object, '/metadata/deletionTimestamp') !== undefined)
    return { kind: 'applied', reason: 'target-deleting', message: 'the object is being deleted' };
  return {
    kind: 'not_applied',
    reason: 'target-untouched',
    message: 'the very same object is there and nobody deletes it',
  };
}
