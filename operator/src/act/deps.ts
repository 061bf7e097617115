import type { AlertStates } from '@hephaisto/core/ports/alerts';
import type { KubeReader, KubeWriter } from '@hephaisto/core/ports/kube';
import type { Leases, RequireEpoch } from '@hephaisto/core/ports/leases';
import type { StageDeps } from '../flow/stage.ts';
import type { SwitchBoard } from '../switches/board.ts';
import type { PolicySource } from './policy-source.ts';
import type { RetryPauses } from './refused-call.ts';

/** Times in milliseconds; waits only, no clock. */
export interface ActingSettings {
  /** How long one step of an action may take before another replica takes it over. */
  readonly leaseTtlMs: number;
  /** How often the targets of open proposals are read again. */
  readonly recheckMs: number;
  /** Pauses between the reads after a lost answer; the last read decides. */
  readonly readbackPausesMs: readonly number[];
  /** How long a target that cannot be read is asked for again, before an act is refused or an outcome called unknown. */
  readonly patienceMs: number;
  /** When it is looked at again whether an undo stands. */
  readonly restoredMs: readonly [number, number, number];
  /** How long a refused undo is retried. A person is asked only afterwards, so it outlasts an overloaded or restarting control plane. */
  readonly undoPatienceMs: number;
  /** Pauses between the tries of a refused undo or removal. Each is twice as long as the one before, up to the longest. */
  readonly retryPausesMs: RetryPauses;
  /** How long a pod that a rollback leaves behind is tried to be removed. Shorter than the wait for the last check. */
  readonly removalPatienceMs: number;
  /** Work on an action that throws: the pauses in milliseconds, doubled from the first to the longest, and how often before it is given up. */
  readonly failures: { readonly first: number; readonly longest: number; readonly most: number };
}

export const DEFAULT_ACTING: ActingSettings = {
  leaseTtlMs: 30_000,
  recheckMs: 5_000,
  readbackPausesMs: [0, 500, 2_000],
  patienceMs: 60_000,
  restoredMs: [2_000, 30_000, 120_000],
  undoPatienceMs: 15 * 60_000,
  retryPausesMs: { first: 2_000, longest: 60_000 },
  removalPatienceMs: 180_000,
  // About two minutes in all, so that what a restart mends in time is not given up.
  failures: { first: 1_000, longest: 60_000, most: 8 },
};

/** What acting uses beside what every stage has. The writer is the only thing here that can change a cluster. */
export interface ActingDeps extends StageDeps {
  readonly leases: Leases;
  readonly requireEpoch: RequireEpoch;
  readonly reader: KubeReader;
  readonly writer: KubeWriter;
  readonly alerts: AlertStates;
  readonly policy: PolicySource;
  readonly switches: SwitchBoard;
  /** Namespaces of this installation, never acted on. */
  readonly selfNamespaces: readonly string[];
  readonly settings: ActingSettings;
}
