import type { ActionKind } from '../kind.ts';
import { inverseOf, patchReadback } from '../patch.ts';
import { kubectlRef, named } from '../references.ts';
import { surgeRadius, templateBasis, templateMoving } from '../template-fields.ts';
import { containerIndex, patchResourcesRequest, resourcesPath } from './request.ts';
import { patchResourcesParams } from './schema.ts';
import { amountsText, kubectlAmounts } from './words.ts';

export const patchResources: ActionKind<'PatchResources'> = {
  type: 'PatchResources',
  schema: patchResourcesParams,
  risk: 'medium',
  targets: ['Deployment', 'StatefulSet', 'DaemonSet'],
  reversibility: { kind: 'inverse' },
  rbac: [
    { apiGroup: 'apps', resource: 'deployments', verb: 'patch' },
    { apiGroup: 'apps', resource: 'statefulsets', verb: 'patch' },
    { apiGroup: 'apps', resource: 'daemonsets', verb: 'patch' },
  ],
  blastRadius: (_request, replicas) => surgeRadius(replicas),
  request: patchResourcesRequest,
  inverse: ({ params }, fresh, after) =>
    inverseOf(fresh.object, after, [resourcesPath(containerIndex(fresh.object, params.container))]),
  readback: (_request, inverse, present, actionId) => patchReadback(inverse, present, actionId, 'action'),
  specFields: (_request, fresh) => ({ basis: templateBasis(fresh.object), moving: templateMoving(fresh.object) }),
  describe: ({ target, params }) => `set ${amountsText(params)} on container ${params.container} of ${named(target)}`,
  byHand: ({ target, params }) => [
    `kubectl set resources ${kubectlRef(target)} -c ${params.container} ${kubectlAmounts(params)}`,
    `kubectl rollout status ${kubectlRef(target)}`,
  ],
  verification: {
    obvious_break: ['workload-health', 'change-in-place'],
    converged: ['workload-health', 'change-in-place'],
    came_back: ['workload-health', 'alert', 'change-in-place'],
  },
};
