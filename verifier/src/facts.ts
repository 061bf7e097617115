import type { Presence } from '@hephaisto/core/action/kind';
import type { AnyActionRequest, Inverse } from '@hephaisto/core/action/types';
import type { AlertAnswer } from '@hephaisto/core/ports/alerts';

/** A measurement that was made, or that could not be. */
export type Measured<T> =
  | { readonly measured: true; readonly value: T }
  | { readonly measured: false; readonly why: string };

/** Restarts so far, by `pod uid/container`. Counts are compared with counts, so that no two clocks have to agree. */
export type RestartCounts = Readonly<Record<string, number>>;

export type WorkloadHealth =
  | { readonly kind: 'gone' }
  | {
      readonly kind: 'present';
      readonly replicas: number;
      readonly total: number;
      readonly updated: number;
      readonly ready: number;
      readonly available: number;
      /** Its controller has seen the present generation. */
      readonly observed: boolean;
      readonly restarts: RestartCounts;
      /** Containers that wait for a reason that is a failure, as `pod/container: reason`. */
      readonly failing: readonly string[];
    };

/** How things stood when the action was sent. */
export interface StateBefore {
  readonly ready: number;
  readonly restarts: RestartCounts;
}

/** Everything that one check looks at, frozen. */
export interface VerificationFacts {
  readonly request: AnyActionRequest;
  readonly actionId: string;
  readonly inverse: Inverse;
  readonly workload: Measured<WorkloadHealth>;
  readonly target: Measured<Presence>;
  /** `none-known`: no alert belongs to the incident. */
  readonly alerts: AlertAnswer | { readonly kind: 'none-known' };
  readonly before: StateBefore | undefined;
  /** Restarts at the check before this one; those at the time of the action where there was none. */
  readonly restartsEarlier: RestartCounts | undefined;
}
