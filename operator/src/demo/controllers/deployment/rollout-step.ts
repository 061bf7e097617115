import type { Condition } from '../shape/condition.ts';
import type { ReplicaSet } from '../shape/workloads.ts';

/** One thing to write, in the order decided. `from` and `to` are pods. */
export type RolloutStep =
  | { readonly kind: 'create'; readonly replicaSet: ReplicaSet; readonly scaled: string | undefined }
  | { readonly kind: 'change'; readonly replicaSet: ReplicaSet; readonly scaled: string | undefined }
  | { readonly kind: 'delete'; readonly replicaSet: ReplicaSet }
  | { readonly kind: 'set-revision'; readonly revision: string };

/**
 * A Deployment's ReplicaSets as they will be once the steps taken so far are written. Later decisions of the same look read it,
 * so that one look never counts a pod twice.
 */
export interface RolloutDraft {
  readonly owned: ReplicaSet[];
  readonly steps: RolloutStep[];
  conditions: readonly Condition[];
  revision: string | undefined;
}
