import type { IncidentState } from '../incident/machine.ts';
import type { Severity } from '../signal/kind.ts';

/** How a channel treats a message of which nobody knows whether it arrived. */
export const ON_UNKNOWN = ['readback', 'resend', 'hold'] as const;
export type OnUnknown = (typeof ON_UNKNOWN)[number];

/** Which events go where. An event that matches nothing is told to nobody, on purpose. */
export interface Route {
  readonly name: string;
  readonly channel: 'webhook';
  /** Name of the configured endpoint; its address is looked up when the message is sent. */
  readonly recipient: string;
  /** States whose entering is told. */
  readonly states: readonly IncidentState[];
  /** Empty: all. */
  readonly severities: readonly Severity[];
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly onUnknown: OnUnknown;
}

/** The event as it was committed, with the incident as it stood then. Frozen into the message. */
export interface RoutableEvent {
  readonly eventId: number;
  readonly seq: number;
  readonly kind: string;
  readonly edge?: string;
  readonly from?: string;
  readonly to?: IncidentState;
  readonly reason: string;
  readonly at: string;
  /** An investigation that nobody asked for came to what was sent before. */
  readonly repeats?: boolean;
  readonly incident: {
    readonly id: string;
    readonly number: number;
    readonly cluster: string;
    readonly title: string;
    readonly kind: string;
    readonly severity: Severity;
    readonly namespace: string | null;
    readonly ownerKind: string | null;
    readonly ownerName: string | null;
    readonly escalationReason: string | null;
    readonly suppressedReason: string | null;
    readonly resolutionSource: string | null;
  };
}

export interface DeliveryDraft {
  readonly route: string;
  readonly channel: 'webhook';
  readonly recipient: string;
  readonly onUnknown: OnUnknown;
  /** Same event, route and recipient: same key, for ever. */
  readonly idempotencyKey: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export const PAYLOAD_VERSION = 1;

/** The messages that an event owes, one a matching route. Pure: the same event and routes always owe the same. */
export function routeEvent(event: RoutableEvent, routes: readonly Route[]): readonly DeliveryDraft[] {
  return routes.filter((route) => matches(event, route)).map((route) => draft(event, route));
}

function matches(event: RoutableEvent, route: Route): boolean {
  if (event.kind !== 'transition' || event.to === undefined) return false;
  // A self-transition repeats a state that was already told when it was entered.
  if (event.from === event.to || event.repeats === true) return false;
  return (
    route.states.includes(event.to) &&
    (route.severities.length === 0 || route.severities.includes(event.incident.severity)) &&
    (route.namespaces.length === 0 || route.namespaces.includes(event.incident.namespace ?? ''))
  );
}

function draft(event: RoutableEvent, route: Route): DeliveryDraft {
  return {
    route: route.name,
    channel: route.channel,
    recipient: route.recipient,
    onUnknown: route.onUnknown,
    idempotencyKey: `${event.incident.id}/${event.seq}/${route.name}/${route.recipient}`,
    payload: {
      event: {
        id: event.eventId,
        seq: event.seq,
        edge: event.edge ?? null,
        from: event.from ?? null,
        to: event.to ?? null,
        reason: event.reason,
        at: event.at,
      },
      incident: event.incident,
    },
  };
}
