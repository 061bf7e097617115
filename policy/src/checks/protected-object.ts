import {
  FREEZE_UNTIL_ANNOTATION,
  IGNORE_ANNOTATION,
  MAX_ACTION_ANNOTATION,
  PROTECTED_LABEL,
} from '@hephaisto/core/action/labels';
import type { ActionType } from '@hephaisto/core/action/types';
import { type Check, clear, unreadable, violated } from '../check.ts';
import type { ObjectMarks, PolicyInput } from '../input.ts';

const STRENGTHS = ['none', 'restart', 'scale', 'rollback'];
const STRENGTH: Readonly<Record<ActionType, number>> = {
  RestartPod: 1,
  RolloutRestart: 1,
  DeleteStuckJob: 1,
  ScaleWorkload: 2,
  PatchResources: 2,
  RollbackWorkload: 3,
};

/** What people write on objects can only restrict, and what cannot be understood restricts too. */
export const protectedObject: Check = (input) => {
  if (!input.target.known) return unreadable('the target', input.target.why);
  if (!input.workload.known) return unreadable('the workload', input.workload.why);
  for (const marks of [input.target.value, input.workload.value]) {
    const why = restriction(marks, input);
    if (why !== undefined) return violated('protected_object', why);
  }
  return clear('nothing on the objects forbids it');
};

function restriction(
  { labels, annotations }: ObjectMarks,
  { request, now, protectedLabels }: PolicyInput,
): string | undefined {
  if (labels[PROTECTED_LABEL] !== undefined && labels[PROTECTED_LABEL] !== 'false')
    return `the object carries ${PROTECTED_LABEL}`;
  const label = Object.entries(protectedLabels).find(([name, value]) => labels[name] === value);
  if (label !== undefined) return `the object carries ${label[0]}=${label[1]}, which the policy protects`;
  if (annotations[IGNORE_ANNOTATION] !== undefined && annotations[IGNORE_ANNOTATION] !== 'false')
    return `the object carries ${IGNORE_ANNOTATION}`;
  const most = annotations[MAX_ACTION_ANNOTATION];
  if (most !== undefined && STRENGTHS.indexOf(most) < STRENGTH[request.type])
    return `the object allows at most \`${most}\` by ${MAX_ACTION_ANNOTATION}`;
  const frozen = annotations[FREEZE_UNTIL_ANNOTATION];
  if (frozen !== undefined && !(new Date(frozen).getTime() <= now.getTime()))
    return `the object is frozen until \`${frozen}\``;
  return undefined;
}
