import type { Certainty } from '@hephaisto/core/finding/finding';
import type { EscalationReason, ResolutionSource, RollbackSubReason } from '@hephaisto/core/incident/machine';

/** An incident of a story, by the name under which its acts and its expectations speak of it. */
export type IncidentKey = string;

/** What must come of a story. Compared with what the API and the cluster's record of requests say, never with the script. */
export interface Expected {
  readonly incidents: readonly ExpectedIncident[];
  /** The distinct writes by the operator's own identity; access reviews and token reviews are reads and not counted. */
  readonly writes: readonly ExpectedWrite[];
  /** Stimuli that must be seen and open nothing. */
  readonly benign: readonly Stimulus[];
}

export interface ExpectedIncident {
  readonly key: IncidentKey;
  readonly workload: { readonly kind: 'Deployment' | 'Job'; readonly name: string };
  readonly certainty: Certainty;
  readonly cause: ExpectedCause;
  readonly proposal: ExpectedProposal;
  readonly final: FinalState;
  /** What is measured after an action, and how the last measurement ends. Empty where nothing is done. */
  readonly verifications: readonly { readonly predicate: VerifiedFact; readonly result: 'passed' | 'failed' }[];
}

/** The facts of a cause, the same whatever rule finds them; kinds and field paths are those of a finding's cause. */
export type ExpectedCause =
  | {
      readonly kind: 'rollout-change';
      readonly symptom: 'crash' | 'oom' | 'image-pull';
      /** Revisions of the Deployment: the one that brought the fault and the last good one. */
      readonly revision: number;
      readonly previousRevision: number;
      readonly field: string;
      readonly from: string;
      readonly to: string;
    }
  | { readonly kind: 'memory-limit-too-low'; readonly container: string; readonly limitBytes: number }
  /** `line`: a pattern that the cited log line matches. */
  | { readonly kind: 'stale-local-state'; readonly line: string }
  | { readonly kind: 'one-bad-replica' }
  | { readonly kind: 'image-missing'; readonly image: string }
  | {
      readonly kind: 'unschedulable';
      readonly resource: 'memory';
      readonly requested: string;
      readonly largestNode: string;
    }
  | { readonly kind: 'config-missing'; readonly source: 'Secret'; readonly name: string; readonly key: string }
  | { readonly kind: 'crash-application'; readonly line: string }
  | { readonly kind: 'upstream'; readonly of: IncidentKey; readonly service: string };

export type ExpectedProposal =
  | { readonly kind: 'RollbackWorkload'; readonly fromRevision: number; readonly toRevision: number }
  | { readonly kind: 'RestartPod' }
  /** The limit in force before, and the least that ends the fault (or would not: see the final state). */
  | { readonly kind: 'PatchResources'; readonly container: string; readonly from: string; readonly atLeast: string }
  /** No action; `command` is a pattern that the suggested command matches, where a person can be told one. */
  | {
      readonly kind: 'none';
      readonly why: 'no-safe-action' | 'not-established' | 'cause-elsewhere';
      readonly command?: string;
    };

export type VerifiedFact = 'workload-health' | 'alert' | 'change-in-place' | 'restored';

export type FinalState =
  | { readonly state: 'Resolved'; readonly by: ResolutionSource }
  | { readonly state: 'Escalated'; readonly reason: EscalationReason; readonly subReason?: RollbackSubReason };

export interface ExpectedWrite {
  readonly verb: 'create' | 'patch' | 'update' | 'delete';
  readonly resource: string;
  readonly subresource?: string;
  readonly dryRun: boolean;
}

export interface Stimulus {
  readonly name: string;
  /** Who brings it: the list-watch or the alert webhook. */
  readonly source: 'watch' | 'alertmanager';
  /** The workload, node, job or alert it is about. */
  readonly about: string;
  /** Why it is no fault. */
  readonly why: string;
}
