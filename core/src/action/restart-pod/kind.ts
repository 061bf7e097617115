import { deleteReadback } from '../delete.ts';
import type { ActionKind } from '../kind.ts';
import { textAt, valueAt } from '../raw-object.ts';
import { evictionCommand, named } from '../references.ts';
import { templateBasis, templateMoving } from '../template-fields.ts';
import { restartRequest } from './request.ts';
import { restartPodParams } from './schema.ts';

export const restartPod: ActionKind<'RestartPod'> = {
  type: 'RestartPod',
  schema: restartPodParams,
  risk: 'low',
  targets: ['Pod'],
  reversibility: {
    kind: 'controller-restores',
    why: 'the controller makes the pod again; the old one cannot be brought back',
  },
  rbac: [{ apiGroup: '', resource: 'pods/eviction', verb: 'create' }],
  blastRadius: (_request, replicas) => ({ pods: 1, of: Math.max(1, replicas) }),
  request: (request, fresh) => restartRequest(request, fresh),
  inverse: () => ({
    kind: 'none',
    why: 'a restarted pod has nothing to undo: its controller has already made it again',
  }),
  readback: (request, _inverse, present) => deleteReadback(request.target.uid, present),
  specFields: (_request, fresh) => ({
    basis: {
      uid: textAt(fresh.object, '/metadata/uid'),
      containers: valueAt(fresh.object, '/spec/containers'),
      node: valueAt(fresh.object, '/spec/nodeName'),
      ...(fresh.workload === undefined ? {} : { workload: templateBasis(fresh.workload) }),
    },
    moving: fresh.workload === undefined ? {} : templateMoving(fresh.workload),
  }),
  describe: ({ target, workload }) => `evict ${named(target)}, so that ${named(workload)} makes it again`,
  byHand: ({ target }) => [evictionCommand(target)],
  verification: {
    obvious_break: ['workload-health', 'change-in-place'],
    converged: ['workload-health', 'change-in-place'],
    came_back: ['workload-health', 'alert', 'change-in-place'],
  },
};
