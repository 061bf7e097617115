import type { Severity, SignalKind } from './kind.ts';

/**
 * How long a symptom must last before it counts. Each is a state that healthy clusters pass through: an image registry that answers on
 * the second try, a pod that waits for its node, one crash of a starting container.
 */
export const HOLD_NAMES = [
  'firstCrash',
  'rolloutCrash',
  'imagePull',
  'unschedulable',
  'config',
  'notReady',
  'notReadyAlone',
  'replicas',
  'node',
  'cordonedNode',
] as const;
export type HoldName = (typeof HOLD_NAMES)[number];
/** Milliseconds. */
export type Holds = Readonly<Record<HoldName, number>>;

/** Something that looks wrong with one object now. */
export interface Symptom {
  /** Names it within its object, e.g. `CrashLoopBackOff/app`; the same symptom later has the same key. */
  readonly key: string;
  readonly kind: SignalKind;
  readonly severity: Severity;
  readonly reason: string;
  readonly message: string;
  /** Absent: counts at once. */
  readonly hold?: HoldName;
  /** Since when, by the object's own word. */
  readonly since?: Date;
  /** The hold begins here instead of at `since`. */
  readonly holdFrom?: Date;
  /** How long it must be away to count as healed, where that is longer than for other symptoms. */
  readonly healMs?: number;
  /** For what happens in moments: when it last happened. It is away from then on, whatever else is seen of the object. */
  readonly lastAt?: Date;
  /** What to note when it passes before it counted; absent: nothing worth a note. */
  readonly ifBrief?: { readonly reason: BenignReason; readonly message: string; readonly afterShareOfHold: number };
}

/** Why something that looked like a fault was none. */
export const BENIGN_REASONS = [
  'single-restart-recovered',
  'rollout-crash-recovered',
  'image-pull-recovered',
  'scheduled-after-waiting',
  'config-appeared',
  'slow-start',
  'probe-blip',
  'node-blip',
  'rollout-completed',
  'scaled-to-zero',
  'scaled',
  'job-completed',
  'job-retry-succeeded',
  'old-warning',
  'object-gone',
  'warning-without-fault',
  'node-cordoned',
  'node-drained',
  'pod-evicted',
  'pod-preempted',
  'pod-replaced',
  'own-event',
  'heartbeat',
  'target-gone',
] as const;
export type BenignReason = (typeof BENIGN_REASONS)[number];

/** Something that happened, was looked at and is no fault. Kept, so that nobody has to ask whether it was seen. */
export interface BenignNote {
  readonly kind: SignalKind;
  readonly reason: BenignReason;
  readonly message: string;
}
