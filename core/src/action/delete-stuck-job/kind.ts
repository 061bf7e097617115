import { deleteByUid, deleteReadback } from '../delete.ts';
import type { ActionKind } from '../kind.ts';
import { textAt, valueAt } from '../raw-object.ts';
import { named } from '../references.ts';
import { deleteStuckJobParams } from './schema.ts';

export const deleteStuckJob: ActionKind<'DeleteStuckJob'> = {
  type: 'DeleteStuckJob',
  schema: deleteStuckJobParams,
  risk: 'medium',
  targets: ['Job'],
  reversibility: { kind: 'none', why: 'a deleted job does not come back by itself, and its pods and logs go with it' },
  rbac: [{ apiGroup: 'batch', resource: 'jobs', verb: 'delete' }],
  blastRadius: () => ({ pods: 1, of: 1 }),
  request: (_request, fresh) => deleteByUid(fresh.object, 'Background'),
  inverse: () => ({
    kind: 'none',
    why: 'a deleted job is not made again; its schedule, where it has one, makes the next',
  }),
  readback: (request, _inverse, present) => deleteReadback(request.target.uid, present),
  specFields: (_request, fresh) => ({
    basis: { uid: textAt(fresh.object, '/metadata/uid'), template: valueAt(fresh.object, '/spec/template') },
    moving: { suspend: valueAt(fresh.object, '/spec/suspend') },
  }),
  describe: ({ target }) => `delete ${named(target)} together with its pods`,
  byHand: ({ target }) => [`kubectl delete job ${target.name} -n ${target.namespace} --cascade=background`],
  verification: {
    obvious_break: ['change-in-place'],
    converged: ['workload-health', 'change-in-place'],
    came_back: ['workload-health', 'alert', 'change-in-place'],
  },
};
