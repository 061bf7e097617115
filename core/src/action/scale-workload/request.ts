import type { FreshTarget, PlannedWrite, Presence, Readback } from '../kind.ts';
import { identityTests, impossible } from '../patch.ts';
import { numberAt, textAt } from '../raw-object.ts';
import type { ActionRequest } from '../types.ts';
import { TARGET_RESOURCES } from '../workload-resource.ts';

export const REPLICAS_PATH = '/spec/replicas';

/** The scale subresource carries the object's own uid and resourceVersion, and can change nothing but the count. */
export function scaleRequest(request: ActionRequest<'ScaleWorkload'>, fresh: FreshTarget): PlannedWrite {
  const { target, params } = request;
  const where = TARGET_RESOURCES[target.kind];
  const tests = identityTests(fresh.object);
  const present = numberAt(fresh.object, REPLICAS_PATH);
  if (where === undefined || tests === undefined || present === undefined)
    return impossible('malformed-object', 'expected a workload with replicas, uid and resourceVersion');
  if (present !== params.fromReplicas)
    return impossible('replicas-moved', `expected ${params.fromReplicas} replicas, found ${present}`);
  return {
    kind: 'write',
    write: {
      verb: 'patch',
      ...where,
      subresource: 'scale',
      namespace: target.namespace,
      name: target.name,
      patch: [
        ...tests,
        { op: 'test', path: REPLICAS_PATH, value: present },
        { op: 'replace', path: REPLICAS_PATH, value: params.toReplicas },
      ],
    },
  };
}

/** A scale leaves no stamp; the count itself is what was asked for, whoever set it. */
export function scaleReadback(request: ActionRequest<'ScaleWorkload'>, present: Presence): Readback {
  if (present.kind === 'gone' || textAt(present.object, '/metadata/uid') !== request.target.uid)
    return {
      kind: 'inconclusive',
      reason: 'target-gone',
      message: 'the workload is gone or was replaced since the call',
    };
  const replicas = numberAt(present.object, REPLICAS_PATH);
  if (replicas === request.params.toReplicas)
    return { kind: 'applied', reason: 'count-reached', message: `the workload asks for ${replicas} replicas` };
  if (replicas === request.params.fromReplicas)
    return { kind: 'not_applied', reason: 'prior-values', message: `the workload still asks for ${replicas} replicas` };
  return {
    kind: 'inconclusive',
    reason: 'other-values',
    message: `the workload asks for ${replicas ?? 'no'} replicas, neither the count from before nor the one asked for`,
  };
}
