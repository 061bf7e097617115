import { deleteStuckJob } from './delete-stuck-job/kind.ts';
import type { ActionKind, FreshTarget, PlannedWrite, Presence, Readback, SpecFields } from './kind.ts';
import { patchResources } from './patch-resources/kind.ts';
import type { RawObject } from './raw-object.ts';
import { restartPod } from './restart-pod/kind.ts';
import { rollbackWorkload } from './rollback-workload/kind.ts';
import { rolloutRestart } from './rollout-restart/kind.ts';
import { scaleWorkload } from './scale-workload/kind.ts';
import type { Stamps } from './stamps.ts';
import {
  ACTION_TYPES,
  type ActionParams,
  type ActionRequest,
  type ActionType,
  type AnyActionRequest,
  type Inverse,
} from './types.ts';

/** Everything this product can do. A new member of `ActionType` does not compile until its kind stands here. */
export const ACTION_KINDS: { readonly [T in ActionType]: ActionKind<T> } = {
  RollbackWorkload: rollbackWorkload,
  RestartPod: restartPod,
  RolloutRestart: rolloutRestart,
  ScaleWorkload: scaleWorkload,
  PatchResources: patchResources,
  DeleteStuckJob: deleteStuckJob,
};

export type ParsedAction =
  | { readonly kind: 'action'; readonly request: AnyActionRequest }
  | {
      readonly kind: 'refused';
      readonly reason: 'unsupported-type' | 'malformed-params' | 'target-kind';
      readonly message: string;
    };

export function isActionType(type: string): type is ActionType {
  return (ACTION_TYPES as readonly string[]).includes(type);
}

/** Turns stored or proposed words into a typed request, or says why it cannot be one. Only typed values pass; whatever else stood in the params is refused. */
export function parseAction(
  type: string,
  objects: Pick<ActionRequest, 'workload' | 'target'>,
  params: unknown,
): ParsedAction {
  if (!isActionType(type))
    return {
      kind: 'refused',
      reason: 'unsupported-type',
      message: `expected one of ${ACTION_TYPES.join(', ')}, found \`${type}\``,
    };
  return parseTyped(type, objects, params);
}

function parseTyped<T extends ActionType>(
  type: T,
  objects: Pick<ActionRequest, 'workload' | 'target'>,
  params: unknown,
): ParsedAction {
  const kind: ActionKind<T> = ACTION_KINDS[type];
  if (!kind.targets.includes(objects.target.kind))
    return {
      kind: 'refused',
      reason: 'target-kind',
      message: `expected ${type} to be aimed at ${kind.targets.join(' or ')}, found \`${objects.target.kind}\``,
    };
  const parsed = kind.schema.safeParse(params);
  if (!parsed.success)
    return {
      kind: 'refused',
      reason: 'malformed-params',
      message: parsed.error.issues.map((issue) => `${issue.path.join('.') || 'params'}: ${issue.message}`).join('; '),
    };
  const typed: ActionParams[T] = parsed.data;
  // The pair (type, params) is correlated by the registry; the compiler cannot follow that through the union.
  return { kind: 'action', request: { type, ...objects, params: typed } as unknown as AnyActionRequest };
}

function kindOf<T extends ActionType>(request: ActionRequest<T>): ActionKind<T> {
  return ACTION_KINDS[request.type];
}

export function planWrite<T extends ActionType>(
  request: ActionRequest<T>,
  fresh: FreshTarget,
  stamps: Stamps,
): PlannedWrite {
  return kindOf(request).request(request, fresh, stamps);
}

export function planInverse<T extends ActionType>(
  request: ActionRequest<T>,
  fresh: FreshTarget,
  after: RawObject,
): Inverse {
  return kindOf(request).inverse(request, fresh, after);
}

export function readBack<T extends ActionType>(
  request: ActionRequest<T>,
  inverse: Inverse,
  present: Presence,
  actionId: string,
): Readback {
  return kindOf(request).readback(request, inverse, present, actionId);
}

export function specFields<T extends ActionType>(request: ActionRequest<T>, fresh: FreshTarget): SpecFields {
  return kindOf(request).specFields(request, fresh);
}

export function describeAction<T extends ActionType>(request: ActionRequest<T>): string {
  return kindOf(request).describe(request);
}

export function byHandCommands<T extends ActionType>(request: ActionRequest<T>): readonly string[] {
  return kindOf(request).byHand(request);
}

export function blastRadius<T extends ActionType>(
  request: ActionRequest<T>,
  replicas: number,
): { readonly pods: number; readonly of: number } {
  return kindOf(request).blastRadius(request, replicas);
}
