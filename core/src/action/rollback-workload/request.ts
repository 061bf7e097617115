import { sameJson } from '../../canonical-json.ts';
import type { FreshTarget, PlannedWrite } from '../kind.ts';
import { impossible, templatePatch } from '../patch.ts';
import { valueAt } from '../raw-object.ts';
import type { Stamps } from '../stamps.ts';
import type { ActionRequest } from '../types.ts';

export const TEMPLATE_PATH = '/spec/template';

/**
 * Replaces the whole pod template by the one of the older revision. The stamps go on the workload, never into the template: a template
 * that differs by a stamp would be a new revision with new pods instead of the old one scaled up again.
 */
export function rollbackRequest(
  request: ActionRequest<'RollbackWorkload'>,
  fresh: FreshTarget,
  stamps: Stamps,
): PlannedWrite {
  if (valueAt(fresh.object, '/spec/paused') === true)
    return impossible('nothing-to-change', 'the rollout is paused, so a new pod template would not roll out');
  const restore = fresh.revision?.restore;
  if (fresh.revision === undefined || restore === undefined || restore.revision !== request.params.toRevision)
    return impossible(
      'revision-missing',
      `expected revision ${request.params.toRevision} to be kept by the cluster, found none`,
    );
  if (fresh.revision.current !== request.params.fromRevision)
    return impossible(
      'revision-moved',
      `expected revision ${request.params.fromRevision} to be in force, found ${fresh.revision.current}`,
    );
  if (sameJson(valueAt(fresh.object, TEMPLATE_PATH), restore.template))
    return impossible('nothing-to-change', 'the pod template is already the one of the older revision');
  return templatePatch(fresh.object, [{ path: TEMPLATE_PATH, value: restore.template }], stamps);
}
