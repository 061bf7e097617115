import type { Severity, SignalKind, SignalSource } from './kind.ts';

/** The controller at the top of an owner chain, or the object itself where it has no owner. */
export interface OwnerRef {
  readonly kind: string;
  readonly name: string;
}

/**
 * One source's word that something is wrong, or no longer is, before anything has been decided about it.
 * `externalKey` names the condition at its source (an alert: Alertmanager's fingerprint and startsAt; a watched condition:
 * object uid and kind), so the same condition seen twice is one signal. Owner resolution has already happened: an owner is
 * never a pod when the pod has a controller.
 */
export interface Observation {
  readonly source: SignalSource;
  readonly externalKey: string;
  readonly kind: SignalKind;
  readonly severity: Severity;
  /** The source's own reason word, e.g. `CrashLoopBackOff` or the alert's name; part of the fingerprint. */
  readonly reason: string;
  /** One line for people, inert text. */
  readonly message: string;
  /** Cluster id (uid of the kube-system namespace), or the name the alert gave where it maps to no known cluster. */
  readonly cluster: string;
  readonly clusterKnown: boolean;
  readonly namespace?: string;
  readonly owner?: OwnerRef;
  /** From the object itself to its top controller, as `Kind/name`. */
  readonly ownerChain: readonly string[];
  readonly podName?: string;
  readonly nodeName?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly status: 'firing' | 'resolved';
  readonly startsAt?: Date;
  readonly endsAt?: Date;
  /** About ourselves or caused by ourselves: never actionable. */
  readonly isSelf: boolean;
}

/** What became of a signal. `pending` waits for the dedupe stage; `poison` is set aside since the database refuses what it would lead to. */
export const DISPOSITIONS = [
  'pending',
  'opened',
  'collapsed',
  'joined',
  'absorbed',
  'suppressed',
  'storm',
  'self',
  'late',
  'benign',
  'poison',
] as const;
export type Disposition = (typeof DISPOSITIONS)[number];
