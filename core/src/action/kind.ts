import type { ZodType } from 'zod';
import type { RawObject } from './raw-object.ts';
import type { Stamps } from './stamps.ts';
import type { ActionParams, ActionRequest, ActionType, Inverse, KubeWrite, Risk } from './types.ts';

/** What was read right before a request is built: the target itself and, where the kind needs it, what it is under or goes back to. */
export interface FreshTarget {
  readonly object: RawObject;
  /** The controller that admission locks, where it is not the target itself. */
  readonly workload?: RawObject;
  /** Revision that runs now, and the one to restore with its whole pod template; only for a rollback. */
  readonly revision?: {
    readonly current: number;
    readonly restore?: { readonly revision: number; readonly template: RawObject };
  };
}

/** One rule of a Role; `resource` may name a subresource as `deployments/scale`. `create` is for subresources only. */
export interface RbacNeed {
  readonly apiGroup: '' | 'apps' | 'batch';
  readonly resource: string;
  readonly verb: 'patch' | 'delete' | 'create';
}

export const IMPOSSIBLE_REASONS = [
  'target-kind',
  'container-missing',
  'revision-missing',
  'revision-moved',
  'replicas-moved',
  'nothing-to-change',
  'already-deleting',
  'malformed-object',
] as const;
export type ImpossibleReason = (typeof IMPOSSIBLE_REASONS)[number];

export type PlannedWrite =
  | { readonly kind: 'write'; readonly write: KubeWrite }
  | { readonly kind: 'impossible'; readonly reason: ImpossibleReason; readonly message: string };

/** What a read after a lost answer says. `inconclusive` is the honest answer whenever somebody else may have written the same. */
export type Readback = {
  readonly kind: 'applied' | 'not_applied' | 'inconclusive';
  readonly reason: string;
  readonly message: string;
};

/** The target as it is now; `gone` is certain (the server said that there is none). */
export type Presence = { readonly kind: 'present'; readonly object: RawObject } | { readonly kind: 'gone' };

/**
 * The spec fields that the action and its gates read. `basis` is what the finding rests on: when it moves, the action no longer follows from
 * the finding. `moving` may change without making the action wrong, but a person has not seen it: a new revision is shown.
 */
export interface SpecFields {
  readonly basis: Readonly<Record<string, unknown>>;
  readonly moving: Readonly<Record<string, unknown>>;
}

/** How an act can be taken back, which decides whether it may ever be done without a person. */
export type Reversibility =
  | { readonly kind: 'inverse' }
  /** The controller makes again what was removed; nothing has to be put back. */
  | { readonly kind: 'controller-restores'; readonly why: string }
  | { readonly kind: 'none'; readonly why: string };

export const VERIFICATION_QUESTIONS = ['obvious_break', 'converged', 'came_back'] as const;
export type VerificationQuestion = (typeof VERIFICATION_QUESTIONS)[number];

/** Named as people read them; what `workload-health` asks differs with the question. */
export const PREDICATES = ['workload-health', 'alert', 'change-in-place', 'restored'] as const;
export type Predicate = (typeof PREDICATES)[number];

/** How many pods an action may disturb at once, and out of how many. */
export interface BlastRadius {
  readonly pods: number;
  readonly of: number;
}

/**
 * One kind of action, whole. All functions are pure; `fresh` is what the caller has just read. A kind that lacks a part does not compile.
 */
export interface ActionKind<T extends ActionType> {
  readonly type: T;
  readonly schema: ZodType<ActionParams[T]>;
  readonly risk: Risk;
  /** Kinds of object that it may be aimed at. */
  readonly targets: readonly string[];
  readonly reversibility: Reversibility;
  readonly rbac: readonly RbacNeed[];
  /** Pods disturbed: given the workload's wanted replicas and the params. */
  blastRadius(request: ActionRequest<T>, replicas: number): BlastRadius;
  /** The one call, with preconditions on everything it replaces. */
  request(request: ActionRequest<T>, fresh: FreshTarget, stamps: Stamps): PlannedWrite;
  /** Whole prior values. `after` is the object as the server would store it (a dry run's answer), since a server adds defaults to what is sent. */
  inverse(request: ActionRequest<T>, fresh: FreshTarget, after: RawObject): Inverse;
  readback(request: ActionRequest<T>, inverse: Inverse, present: Presence, actionId: string): Readback;
  specFields(request: ActionRequest<T>, fresh: FreshTarget): SpecFields;
  /** One sentence without full stop, in the imperative. */
  describe(request: ActionRequest<T>): string;
  /** What a person would type to do the same. */
  byHand(request: ActionRequest<T>): readonly string[];
  readonly verification: Readonly<Record<VerificationQuestion, readonly Predicate[]>>;
}
