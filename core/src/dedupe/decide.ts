import type { IncidentState } from '../incident/machine.ts';
import type { Severity, SignalKind } from '../signal/kind.ts';
import type { Disposition } from '../signal/observation.ts';

/** An incident that could take the signal. */
export interface Candidate {
  readonly id: string;
  readonly number: number;
  readonly state: IncidentState;
}

/** Everything that settling one signal looks at, read in the transaction that writes the result. */
export interface DedupeFacts {
  readonly signal: {
    readonly kind: SignalKind;
    readonly severity: Severity;
    readonly status: 'firing' | 'resolved';
    readonly isSelf: boolean;
    readonly about: string;
    readonly nodeName: string | undefined;
  };
  /** Open incident of the same fingerprint. */
  readonly same: Candidate | undefined;
  /** Open incident of the same owner and family. */
  readonly related: Candidate | undefined;
  /** Open incident in the same namespace whose owner chain overlaps, with a signal within the correlation window. */
  readonly overlapping: Candidate | undefined;
  /** Open incident of the node that the signal's pod is on. */
  readonly node: Candidate | undefined;
  /** Incident of the same fingerprint that a person or triage ended, whose first signal lies within the burst window. */
  readonly burst: Candidate | undefined;
  /** The fingerprint is cooling down after opening too often; the incident that says so. */
  readonly flapping: { readonly until: Date; readonly metaIncidentId: string | undefined } | undefined;
  readonly storm: { readonly openedInWindow: number; readonly incidentId: string | undefined };
  /** The latest incident of the same fingerprint or owner and family that is over. */
  readonly previous: Candidate | undefined;
}

export interface StormLimits {
  /** How many incidents may open in the window. */
  readonly limit: number;
  /** How many more may if they are critical, so that noise does not drown what matters most. */
  readonly criticalReserve: number;
}

export const DEDUPE_REASONS = [
  'resolved-before-opened',
  'heartbeat',
  'informational',
  'same-fingerprint',
  'same-owner-and-family',
  'overlapping-owners',
  'on-failing-node',
  'flapping',
  'burst',
  'storm',
  'recurrence',
  'new-fault',
] as const;
export type DedupeReason = (typeof DEDUPE_REASONS)[number];

export type DedupeDecision =
  | {
      readonly kind: 'settle';
      readonly disposition: Exclude<Disposition, 'pending' | 'opened' | 'storm'>;
      readonly incidentId: string | undefined;
      readonly reason: DedupeReason;
      readonly message: string;
    }
  | {
      readonly kind: 'storm';
      readonly incidentId: string | undefined;
      readonly reason: DedupeReason;
      readonly message: string;
    }
  | {
      readonly kind: 'open';
      readonly recurrenceOf: string | undefined;
      readonly reason: DedupeReason;
      readonly message: string;
    };

/** Faults of a pod's own specification; no node causes them. */
const NOT_THE_NODES: readonly SignalKind[] = ['ImagePullBackOff', 'ConfigError', 'JobFailed', 'NodePressure'];

/** What becomes of a signal. The first rule that applies decides, the most exact one first. */
export function decideSignal(facts: DedupeFacts, limits: StormLimits): DedupeDecision {
  const { signal } = facts;
  if (signal.status === 'resolved') {
    return settle('late', undefined, 'resolved-before-opened', `${signal.about} was over before it opened an incident`);
  }
  if (signal.kind === 'Watchdog') {
    return settle('benign', undefined, 'heartbeat', 'a heartbeat that says that alerting works; it is meant to fire');
  }
  return takenByOpen(facts) ?? informational(facts) ?? heldBack(facts, limits) ?? opening(facts);
}

function takenByOpen(facts: DedupeFacts): DedupeDecision | undefined {
  const { signal, same, related, overlapping, node } = facts;
  if (same !== undefined) {
    return settle(
      'collapsed',
      same.id,
      'same-fingerprint',
      `${signal.about} is the fault of incident ${same.number} again`,
    );
  }
  // A signal about ourselves must not hide in an incident that may act, nor pull one into never acting.
  if (signal.isSelf) return undefined;
  if (related !== undefined) {
    const message = `${signal.about} concerns the owner and family of faults of incident ${related.number}`;
    return settle('joined', related.id, 'same-owner-and-family', message);
  }
  if (overlapping !== undefined) {
    const message = `${signal.about} shares an owner with incident ${overlapping.number}, minutes apart`;
    return settle('joined', overlapping.id, 'overlapping-owners', message);
  }
  if (node !== undefined && !NOT_THE_NODES.includes(signal.kind)) {
    const message = `${signal.about} is on node ${signal.nodeName ?? ''}, which incident ${node.number} is about`;
    return settle('absorbed', node.id, 'on-failing-node', message);
  }
  return undefined;
}

/** Its author says that nobody needs to act on it: it may add to an incident, but opens none and counts in no storm. */
function informational({ signal }: DedupeFacts): DedupeDecision | undefined {
  if (signal.severity !== 'info') return undefined;
  const message = `${signal.about} has severity info, which opens no incident by itself`;
  return settle('benign', undefined, 'informational', message);
}

function heldBack(facts: DedupeFacts, limits: StormLimits): DedupeDecision | undefined {
  const { signal, flapping, burst, storm } = facts;
  if (signal.isSelf) return undefined;
  if (flapping !== undefined) {
    const message = `${signal.about} comes and goes; held back until ${flapping.until.toISOString()}`;
    return settle('suppressed', flapping.metaIncidentId, 'flapping', message);
  }
  if (burst !== undefined) {
    const message = `${signal.about} belongs to the burst of incident ${burst.number}, which is ${burst.state}`;
    return settle('collapsed', burst.id, 'burst', message);
  }
  const allowed = limits.limit + (signal.severity === 'critical' ? limits.criticalReserve : 0);
  if (storm.openedInWindow >= allowed) {
    const message = `${storm.openedInWindow} incidents opened within minutes; ${signal.about} is kept with the storm`;
    return { kind: 'storm', incidentId: storm.incidentId, reason: 'storm', message };
  }
  return undefined;
}

function opening(facts: DedupeFacts): DedupeDecision {
  const { signal, previous } = facts;
  if (previous !== undefined) {
    const message = `${signal.about} is back after incident ${previous.number}, which is ${previous.state}`;
    return { kind: 'open', recurrenceOf: previous.id, reason: 'recurrence', message };
  }
  return {
    kind: 'open',
    recurrenceOf: undefined,
    reason: 'new-fault',
    message: `no open incident covers ${signal.about}`,
  };
}

function settle(
  disposition: Exclude<Disposition, 'pending' | 'opened' | 'storm'>,
  incidentId: string | undefined,
  reason: DedupeReason,
  message: string,
): DedupeDecision {
  return { kind: 'settle', disposition, incidentId, reason, message };
}
