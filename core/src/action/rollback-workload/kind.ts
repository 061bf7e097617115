import type { ActionKind } from '../kind.ts';
import { inverseOf, patchReadback } from '../patch.ts';
import { kubectlRef, named } from '../references.ts';
import { surgeRadius, templateBasis, templateMoving } from '../template-fields.ts';
import { rollbackRequest, TEMPLATE_PATH } from './request.ts';
import { rollbackWorkloadParams } from './schema.ts';

export const rollbackWorkload: ActionKind<'RollbackWorkload'> = {
  type: 'RollbackWorkload',
  schema: rollbackWorkloadParams,
  risk: 'medium',
  targets: ['Deployment', 'StatefulSet', 'DaemonSet'],
  reversibility: { kind: 'inverse' },
  rbac: [
    { apiGroup: 'apps', resource: 'deployments', verb: 'patch' },
    { apiGroup: 'apps', resource: 'statefulsets', verb: 'patch' },
    { apiGroup: 'apps', resource: 'daemonsets', verb: 'patch' },
    // A StatefulSet does not replace a pod that never became ready, see stuck-pods.ts.
    { apiGroup: '', resource: 'pods/eviction', verb: 'create' },
    { apiGroup: '', resource: 'pods', verb: 'delete' },
  ],
  blastRadius: (_request, replicas) => surgeRadius(replicas),
  request: rollbackRequest,
  inverse: (_request, fresh, after) => inverseOf(fresh.object, after, [TEMPLATE_PATH]),
  readback: (_request, inverse, present, actionId) => patchReadback(inverse, present, actionId, 'action'),
  specFields: (_request, fresh) => ({
    basis: {
      ...templateBasis(fresh.object),
      currentRevision: fresh.revision?.current,
      restore: fresh.revision?.restore,
    },
    moving: templateMoving(fresh.object),
  }),
  describe: ({ target, params }) =>
    `roll ${named(target)} back from revision ${params.fromRevision} to revision ${params.toRevision}, restoring its whole pod template`,
  byHand: ({ target, params }) => [
    `kubectl rollout undo ${kubectlRef(target)} --to-revision=${params.toRevision}`,
    `kubectl rollout status ${kubectlRef(target)}`,
  ],
  verification: {
    obvious_break: ['workload-health', 'change-in-place'],
    converged: ['workload-health', 'change-in-place'],
    came_back: ['workload-health', 'alert', 'change-in-place'],
  },
};
