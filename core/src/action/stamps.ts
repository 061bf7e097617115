import { LABEL_DOMAIN } from '../names.ts';
import { escapePointer, type RawObject, recordAt } from './raw-object.ts';
import type { JsonPatchOperation } from './types.ts';

/** Written on every object that we patch, so that whoever finds the change can find its reason, and so that a lost answer can be read back. */
export const ACTION_ID_ANNOTATION = `${LABEL_DOMAIN}/action-id`;
export const INCIDENT_ID_ANNOTATION = `${LABEL_DOMAIN}/incident-id`;
export const APPROVED_BY_ANNOTATION = `${LABEL_DOMAIN}/approved-by`;
/** Present on an object whose last write of ours was the undo of the named action. */
export const UNDONE_ANNOTATION = `${LABEL_DOMAIN}/undone-action`;

/** Who and why, for one write. `at` is the instant that goes into the object where the change itself is an instant (a restart). */
export interface Stamps {
  readonly actionId: string;
  readonly incidentId: string;
  /** Subjects of the approvers, comma separated, or the policy's name where nobody had to be asked. */
  readonly approvedBy: string;
  readonly at: Date;
}

/** Operations that put the stamps on an object as it is now. Annotations of others are never replaced. */
export function stampOperations(object: RawObject, stamps: Stamps, undo: boolean): readonly JsonPatchOperation[] {
  const annotations: Readonly<Record<string, string>> = {
    [ACTION_ID_ANNOTATION]: stamps.actionId,
    [INCIDENT_ID_ANNOTATION]: stamps.incidentId,
    [APPROVED_BY_ANNOTATION]: stamps.approvedBy,
    ...(undo ? { [UNDONE_ANNOTATION]: stamps.actionId } : {}),
  };
  if (recordAt(object, '/metadata/annotations') === undefined)
    return [{ op: 'add', path: '/metadata/annotations', value: annotations }];
  return Object.entries(annotations).map(([name, value]) => ({
    op: 'add' as const,
    path: `/metadata/annotations/${escapePointer(name)}`,
    value,
  }));
}

/** Which of our writes the object carries the mark of last. */
export function stampedWrite(object: RawObject, actionId: string): 'action' | 'undo' | 'none' {
  const annotations = recordAt(object, '/metadata/annotations');
  if (annotations?.[UNDONE_ANNOTATION] === actionId) return 'undo';
  return annotations?.[ACTION_ID_ANNOTATION] === actionId ? 'action' : 'none';
}
