import type { ActionKind } from '../kind.ts';
import { kubectlRef, named } from '../references.ts';
import { templateBasis, templateMoving } from '../template-fields.ts';
import type { Inverse } from '../types.ts';
import { TARGET_RESOURCES } from '../workload-resource.ts';
import { REPLICAS_PATH, scaleReadback, scaleRequest } from './request.ts';
import { scaleWorkloadParams } from './schema.ts';

export const scaleWorkload: ActionKind<'ScaleWorkload'> = {
  type: 'ScaleWorkload',
  schema: scaleWorkloadParams,
  risk: 'medium',
  targets: ['Deployment', 'StatefulSet'],
  reversibility: { kind: 'inverse' },
  rbac: [
    { apiGroup: 'apps', resource: 'deployments/scale', verb: 'patch' },
    { apiGroup: 'apps', resource: 'statefulsets/scale', verb: 'patch' },
  ],
  blastRadius: ({ params }, replicas) => ({
    pods: Math.max(0, params.fromReplicas - params.toReplicas),
    of: Math.max(replicas, params.fromReplicas),
  }),
  request: (request, fresh) => scaleRequest(request, fresh),
  inverse: ({ target, params }): Inverse => ({
    kind: 'replace',
    ...(TARGET_RESOURCES[target.kind] ?? { apiVersion: 'apps/v1', resource: 'deployments' }),
    subresource: 'scale',
    namespace: target.namespace,
    name: target.name,
    uid: target.uid,
    values: [{ path: REPLICAS_PATH, written: params.toReplicas, prior: params.fromReplicas }],
  }),
  readback: (request, _inverse, present) => scaleReadback(request, present),
  specFields: (_request, fresh) => {
    const { replicas, ...moving } = templateMoving(fresh.object);
    return { basis: { ...templateBasis(fresh.object), replicas }, moving };
  },
  describe: ({ target, params }) =>
    `scale ${named(target)} from ${params.fromReplicas} to ${params.toReplicas} replicas`,
  byHand: ({ target, params }) => [
    `kubectl scale ${kubectlRef(target)} --current-replicas=${params.fromReplicas} --replicas=${params.toReplicas}`,
  ],
  verification: {
    obvious_break: ['workload-health', 'change-in-place'],
    converged: ['workload-health', 'change-in-place'],
    came_back: ['workload-health', 'alert', 'change-in-place'],
  },
};
