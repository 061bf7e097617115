import type { FreshTarget, PlannedWrite } from '../kind.ts';
import { impossible, templatePatch } from '../patch.ts';
import { escapePointer, recordAt, valueAt } from '../raw-object.ts';
import type { Stamps } from '../stamps.ts';
import type { ActionRequest } from '../types.ts';

/** The annotation that kubectl itself uses, so that `kubectl rollout history` reads alike whoever restarted. */
export const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';
export const RESTARTED_AT_PATH = `/spec/template/metadata/annotations/${escapePointer(RESTARTED_AT)}`;

export function rolloutRestartRequest(
  _request: ActionRequest<'RolloutRestart'>,
  fresh: FreshTarget,
  stamps: Stamps,
): PlannedWrite {
  if (valueAt(fresh.object, '/spec/paused') === true)
    return impossible('nothing-to-change', 'the rollout is paused, so a restart would not start');
  const at = stamps.at.toISOString();
  if (recordAt(fresh.object, '/spec/template/metadata/annotations') === undefined)
    return templatePatch(
      fresh.object,
      [{ path: '/spec/template/metadata/annotations', value: { [RESTARTED_AT]: at } }],
      stamps,
    );
  return templatePatch(fresh.object, [{ path: RESTARTED_AT_PATH, value: at }], stamps);
}
