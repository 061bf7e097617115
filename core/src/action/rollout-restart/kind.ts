import type { ActionKind, Presence, Readback } from '../kind.ts';
import { textAt } from '../raw-object.ts';
import { kubectlRef, named } from '../references.ts';
import { stampedWrite } from '../stamps.ts';
import { surgeRadius, templateBasis, templateMoving } from '../template-fields.ts';
import { rolloutRestartRequest } from './request.ts';
import { rolloutRestartParams } from './schema.ts';

/** No prior values are stored for a restart, so only the stamp can tell; an object that went on without it was never reached. */
function readback(uid: string, present: Presence, actionId: string): Readback {
  if (present.kind === 'gone' || textAt(present.object, '/metadata/uid') !== uid)
    return {
      kind: 'inconclusive',
      reason: 'target-gone',
      message: 'the workload is gone or was replaced since the call',
    };
  return stampedWrite(present.object, actionId) === 'action'
    ? { kind: 'applied', reason: 'stamp-found', message: 'the workload carries the stamp of this very call' }
    : { kind: 'not_applied', reason: 'stamp-missing', message: 'the workload does not carry the stamp of this call' };
}

export const rolloutRestart: ActionKind<'RolloutRestart'> = {
  type: 'RolloutRestart',
  schema: rolloutRestartParams,
  risk: 'medium',
  targets: ['Deployment', 'StatefulSet', 'DaemonSet'],
  reversibility: {
    kind: 'controller-restores',
    why: 'the template is the same; the pods are made again by their controller',
  },
  rbac: [
    { apiGroup: 'apps', resource: 'deployments', verb: 'patch' },
    { apiGroup: 'apps', resource: 'statefulsets', verb: 'patch' },
    { apiGroup: 'apps', resource: 'daemonsets', verb: 'patch' },
  ],
  blastRadius: (_request, replicas) => surgeRadius(replicas),
  request: rolloutRestartRequest,
  inverse: () => ({ kind: 'none', why: 'a restart changes nothing that could be put back' }),
  readback: (request, _inverse, present, actionId) => readback(request.target.uid, present, actionId),
  specFields: (_request, fresh) => ({ basis: templateBasis(fresh.object), moving: templateMoving(fresh.object) }),
  describe: ({ target }) => `restart every pod of ${named(target)}, at the pace of its own rollout strategy`,
  byHand: ({ target }) => [
    `kubectl rollout restart ${kubectlRef(target)}`,
    `kubectl rollout status ${kubectlRef(target)}`,
  ],
  verification: {
    obvious_break: ['workload-health', 'change-in-place'],
    converged: ['workload-health', 'change-in-place'],
    came_back: ['workload-health', 'alert', 'change-in-place'],
  },
};
