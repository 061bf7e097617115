import type { ObjectRef } from '../facts/facts.ts';
import type { Symptom } from './symptom.ts';

/** Words from code, never a percentage. Only proven and likely may carry a proposal; only proven an automatic act. */
export const CERTAINTIES = ['proven', 'likely', 'possible', 'not_established'] as const;
export type Certainty = (typeof CERTAINTIES)[number];

export const FINDING_CATEGORIES = [
  'application',
  'configuration',
  'capacity',
  'dependency',
  'infrastructure',
  'unknown',
] as const;
export type FindingCategory = (typeof FINDING_CATEGORIES)[number];

/** One field of a pod template that differs between two revisions; values as shown to people, `undefined` where absent. */
export interface FieldChange {
  /** e.g. `spec.template.spec.containers[app].env[DB_HOST].value` */
  readonly path: string;
  readonly container?: string;
  readonly from?: string;
  readonly to?: string;
}

/** What refuses the pods that a controller wants to create. */
export type PodRefusal =
  | 'quota'
  | 'limit-range'
  | 'pod-security'
  | 'webhook'
  | 'policy'
  | 'service-account'
  | 'priority-class'
  | 'namespace'
  | 'other';

/** What a scheduled pod waits for before its containers start. */
export type PodStartHold = 'init-container' | 'volume' | 'network' | 'kubelet';

/** A Deployment with `spec.paused`: no change of its template takes effect. Who paused it is absent where no field manager is recorded. */
export interface PausedRollout {
  readonly by?: string;
  /** ISO 8601: a cause is stored as JSON and read back by the planner. */
  readonly at?: string;
}

/** The cause as data, for the plan and the screen. The statement says the same in a sentence. */
export type Cause =
  | {
      readonly kind: 'rollout-change';
      readonly workload: ObjectRef;
      readonly symptom: Symptom;
      readonly revision: number;
      readonly previousRevision: number;
      readonly changedAt: Date;
      readonly changes: readonly FieldChange[];
      /** The one change that the evidence singles out, where it does. */
      readonly decisive?: FieldChange;
      readonly paused?: PausedRollout;
    }
  | {
      readonly kind: 'memory-limit-too-low';
      readonly workload: ObjectRef;
      readonly container: string;
      readonly limitBytes: number;
      /** Largest use the evidence names, where it does. */
      readonly neededBytes?: number;
      readonly paused?: PausedRollout;
    }
  | {
      readonly kind: 'stale-local-state';
      readonly workload: ObjectRef;
      readonly pod: ObjectRef;
      readonly container: string;
      readonly what?: string;
    }
  | { readonly kind: 'one-bad-replica'; readonly workload: ObjectRef; readonly pod: ObjectRef }
  | { readonly kind: 'image-missing'; readonly workload: ObjectRef; readonly container: string; readonly image: string }
  | {
      readonly kind: 'unschedulable';
      readonly workload: ObjectRef;
      readonly resource: 'cpu' | 'memory' | 'other';
      readonly requested?: number;
      readonly largestNode?: { readonly name: string; readonly allocatable: number };
    }
  | {
      readonly kind: 'config-missing';
      readonly workload: ObjectRef;
      readonly container?: string;
      readonly source: 'Secret' | 'ConfigMap';
      readonly name: string;
      readonly key?: string;
    }
  | {
      readonly kind: 'crash-application';
      readonly workload: ObjectRef;
      readonly container: string;
      readonly line?: string;
      readonly paused?: PausedRollout;
    }
  | {
      readonly kind: 'pod-creation-refused';
      readonly workload: ObjectRef;
      readonly by: PodRefusal;
      /** The object that refuses, or that is missing. */
      readonly name?: string;
    }
  | {
      readonly kind: 'pod-start-held';
      readonly workload: ObjectRef;
      readonly pod: ObjectRef;
      readonly container?: string;
      readonly by: PodStartHold;
    }
  | { readonly kind: 'pods-not-ready'; readonly workload: ObjectRef; readonly container?: string }
  | { readonly kind: 'unmatched-selector'; readonly service: ObjectRef; readonly selector: string }
  | { readonly kind: 'rollout-paused'; readonly workload: ObjectRef; readonly paused: PausedRollout }
  | {
      readonly kind: 'upstream';
      readonly workload: ObjectRef;
      readonly service: ObjectRef;
      readonly backend?: ObjectRef;
    }
  | { readonly kind: 'job-failed'; readonly job: ObjectRef; readonly workload: ObjectRef; readonly detail?: string }
  | { readonly kind: 'node-pressure'; readonly node: string; readonly condition: string }
  /** A hypothesis that was tested and is not the case; recorded so that nobody has to ask again. */
  | { readonly kind: 'refuted'; readonly question: string; readonly answer: string }
  | { readonly kind: 'unknown'; readonly workload?: ObjectRef };

/** A quotation of one step's stored text. */
export interface EvidenceClaim {
  readonly stepId: string;
  readonly excerpt: string;
}

/** A claim as an investigator makes it, before code has checked its quotations. */
export interface ClaimedFinding {
  readonly category: FindingCategory;
  readonly statement: string;
  readonly certainty: Certainty;
  /** Id of the rule that said it; absent for a model. */
  readonly rule?: string;
  readonly cause: Cause;
  /** 0..1, a model's own; rules have none. */
  readonly confidence?: number;
  readonly primary: boolean;
  readonly evidence: readonly EvidenceClaim[];
}

export const EVIDENCE_REJECTIONS = [
  'unknown_step',
  'foreign_step',
  'not_substring',
  'empty_excerpt',
  'too_short',
] as const;
export type EvidenceRejection = (typeof EVIDENCE_REJECTIONS)[number];

/** Something that could not be read: where, which question, why (code), and what it would have told. */
export interface Gap {
  readonly source: string;
  readonly query: string;
  readonly reason:
    | 'forbidden'
    | 'not-found'
    | 'timeout'
    | 'unavailable'
    | 'not-configured'
    | 'expired'
    | 'denied-namespace'
    | 'too-large'
    | 'malformed';
  readonly message: string;
  readonly wouldHaveTold: string;
}
