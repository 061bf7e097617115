/**
 * How the workload of an open incident is doing.
 *
 * - failing: a signal fires.
 * - recovered: no signal fires any more, and the workload has its replicas; the incident closes by itself unless it fires again.
 * - unconfirmed: no signal fires, but nothing says that the workload is well: its pods are gone or can no longer be read, or replicas are missing.
 */
export const RECOVERY_STATES = ['failing', 'recovered', 'unconfirmed'] as const;
export type RecoveryState = (typeof RECOVERY_STATES)[number];

export interface RecoveryFacts {
  /** Signals that fire now. */
  readonly firing: number;
  /** Signals of objects that can no longer be read. */
  readonly unobserved: number;
  /** Signals that ended while their object was still there. */
  readonly endedWell: number;
  /** Whether the newest sample of the workload lacks ready replicas. Absent where nothing was sampled. */
  readonly lacksReplicas: boolean | undefined;
}

/** Silence alone is no recovery: a deleted pod is silent, too. */
export function recoveryOf(facts: RecoveryFacts): RecoveryState {
  if (facts.firing > 0) return 'failing';
  if (facts.unobserved > 0) return 'unconfirmed';
  if (facts.lacksReplicas !== undefined) return facts.lacksReplicas ? 'unconfirmed' : 'recovered';
  return facts.endedWell > 0 ? 'recovered' : 'unconfirmed';
}
