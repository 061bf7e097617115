import type { ActionType } from '../action/types.ts';

/** The field that an action changes and that a repository may declare. Empty: the action changes no field of an object that stays. */
export const DECLARED_FIELD: Readonly<Record<ActionType, readonly string[]>> = {
  RollbackWorkload: ['spec', 'template'],
  PatchResources: ['spec', 'template'],
  ScaleWorkload: ['spec', 'replicas'],
  RestartPod: [],
  RolloutRestart: [],
  DeleteStuckJob: [],
};
