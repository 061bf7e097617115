import type { ObjectRef } from '../facts/facts.ts';

/** The closed set of things this product can ever do to a cluster. Anything else is refused before any call. */
export const ACTION_TYPES = [
  'RollbackWorkload',
  'RestartPod',
  'RolloutRestart',
  'ScaleWorkload',
  'PatchResources',
  'DeleteStuckJob',
] as const;
export type ActionType = (typeof ACTION_TYPES)[number];

/** Known to people and models, refused for ever. */
export const NEVER_ACTION_TYPES = ['DeletePvc', 'DeleteWorkload', 'ScaleToZero', 'EditConfigMap', 'EditImage'] as const;

export const RISKS = ['low', 'medium', 'high'] as const;
export type Risk = (typeof RISKS)[number];

/** Typed parameters, one shape a kind; validated by the kind's schema in its folder. Memory in bytes, cpu in millicores. */
export interface ActionParams {
  RollbackWorkload: { readonly fromRevision: number; readonly toRevision: number };
  RestartPod: Readonly<Record<string, never>>;
  RolloutRestart: Readonly<Record<string, never>>;
  ScaleWorkload: { readonly fromReplicas: number; readonly toReplicas: number };
  PatchResources: {
    readonly container: string;
    readonly memoryLimitBytes?: number;
    readonly memoryRequestBytes?: number;
    readonly cpuLimitMillis?: number;
    readonly cpuRequestMillis?: number;
  };
  DeleteStuckJob: Readonly<Record<string, never>>;
}

/** `workload` is what admission locks and cooldowns count; `target` is the object the call names, pinned by uid. */
export interface ActionRequest<T extends ActionType = ActionType> {
  readonly type: T;
  readonly workload: ObjectRef;
  readonly target: ObjectRef & { readonly uid: string };
  readonly params: ActionParams[T];
}

/** Distributes over the kinds, so that `type` discriminates `params`. */
export type AnyActionRequest = { [T in ActionType]: ActionRequest<T> }[ActionType];

export interface JsonPatchOperation {
  readonly op: 'test' | 'replace' | 'add' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}

/** One mutating call, as data: built by pure code, shown to people, sent by the one writing adapter. */
export type KubeWrite =
  | {
      readonly verb: 'patch';
      readonly apiVersion: string;
      readonly resource: string;
      readonly subresource?: 'scale';
      readonly namespace: string;
      readonly name: string;
      readonly patch: readonly JsonPatchOperation[];
    }
  | {
      readonly verb: 'delete';
      readonly apiVersion: string;
      readonly resource: string;
      readonly namespace: string;
      readonly name: string;
      readonly preconditions: { readonly uid: string; readonly resourceVersion?: string };
      readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
    }
  /** Removes a pod through its `eviction` subresource, which asks its disruption budget first. */
  | {
      readonly verb: 'evict';
      readonly apiVersion: 'v1';
      readonly resource: 'pods';
      readonly namespace: string;
      readonly name: string;
      readonly preconditions: { readonly uid: string };
    };

/**
 * The stored undo: whole prior values that replace what we wrote, each guarded by a test that the present value is still ours.
 * `none` says why there is nothing to undo (a deleted pod comes back by its controller).
 */
export type Inverse =
  | {
      readonly kind: 'replace';
      readonly apiVersion: string;
      readonly resource: string;
      readonly subresource?: 'scale';
      readonly namespace: string;
      readonly name: string;
      readonly uid: string;
      readonly values: readonly InverseValue[];
    }
  | { readonly kind: 'none'; readonly why: string };

export interface InverseValue {
  /** JSON pointer into the object. */
  readonly path: string;
  readonly written: unknown;
  readonly prior: unknown;
}
