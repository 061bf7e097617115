import type {
  EscalationReason,
  IncidentEdge,
  IncidentState,
  ResolutionSource,
  RollbackSubReason,
  SuppressedReason,
} from '../incident/machine.ts';
import type { Severity, SignalKind } from '../signal/kind.ts';
import type { OwnerRef } from '../signal/observation.ts';
import type { Sql } from './database.ts';

export const EVENT_ORIGINS = ['core', 'verifier', 'console', 'teams', 'mcp', 'github', 'api'] as const;
export type EventOrigin = (typeof EVENT_ORIGINS)[number];

/** Who did it and through which door. `actor` is a subject in `principals`. */
export interface Authorship {
  readonly actor: string;
  readonly origin: EventOrigin;
}

export interface OpenIncident extends Authorship {
  readonly id: string;
  readonly cluster: string;
  readonly fingerprint: string;
  readonly correlationKey: string | undefined;
  readonly kind: SignalKind;
  readonly title: string;
  readonly severity: Severity;
  readonly namespace: string | undefined;
  readonly owner: OwnerRef | undefined;
  readonly ownerChain: readonly string[];
  readonly nodeName: string | undefined;
  readonly isSelf: boolean;
  readonly isMeta: boolean;
  readonly recurrenceOf: string | undefined;
  /** The trace of the signal that opened it. */
  readonly traceparent?: string | undefined;
  readonly firstSignalAt: Date;
  readonly lastSignalAt: Date;
  /** Why no open incident took the signal; recorded on the event. */
  readonly reason: string;
}

/** Outcome columns that an edge may set together with the state. */
export interface TransitionOutcome {
  readonly suppressedReason?: SuppressedReason;
  readonly escalationReason?: EscalationReason;
  readonly rollbackSubReason?: RollbackSubReason;
  readonly resolutionSource?: ResolutionSource;
  readonly resolutionNote?: string;
  readonly causedBy?: string;
  readonly absorbedBy?: string;
}

export interface Transition extends Authorship, TransitionOutcome {
  readonly incidentId: string;
  readonly edge: IncidentEdge;
  /** Reason code of the decision that caused the edge. */
  readonly reason: string;
  /** Plain facts of the decision, shown on the timeline. */
  readonly data?: Readonly<Record<string, unknown>>;
}

export type Moved = {
  readonly kind: 'moved';
  readonly from: IncidentState | '';
  readonly to: IncidentState;
  readonly eventId: number;
  readonly seq: number;
};
export type Refused = {
  readonly kind: 'refused';
  readonly reason: 'illegal-edge' | 'incident-not-found';
  readonly message: string;
  readonly state?: IncidentState;
};

/** Everything that is not a transition: said or noted about an incident. */
export interface IncidentNote extends Authorship {
  readonly incidentId: string;
  readonly kind: 'ack' | 'assign' | 'note' | 'feedback' | 'merge' | 'requeue' | 'rollback';
  readonly reason: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/**
 * The only writer of `incidents.state`. Each call locks the incident row, appends one event, updates the row, derives the deliveries
 * that the event is routed to and sends the live notification, all on the caller's transaction `tx`; so nothing of it exists unless
 * all of it does. An edge that is not legal from the present state is `refused` and writes nothing. Database errors are thrown.
 */
export interface IncidentLog {
  open(tx: Sql, incident: OpenIncident): Promise<Moved>;
  transition(tx: Sql, transition: Transition): Promise<Moved | Refused>;
  note(tx: Sql, note: IncidentNote): Promise<{ readonly eventId: number; readonly seq: number }>;
}
