import { PAYLOAD_VERSION, type RoutableEvent, type Route, routeEvent } from '@hephaisto/core/delivery/route';
import type { IncidentState } from '@hephaisto/core/incident/machine';
import type { Ids } from '@hephaisto/core/ports/clock';
import type { Sql } from '@hephaisto/core/ports/database';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import { cleanJsonText } from '@hephaisto/core/signal/clean-text';
import type { Severity } from '@hephaisto/core/signal/kind';

interface EventRow {
  readonly event_id: number;
  readonly seq: number;
  readonly event_kind: string;
  readonly edge: string | null;
  readonly from_state: string | null;
  readonly to_state: IncidentState | null;
  readonly reason: string | null;
  readonly at: Date;
  readonly id: string;
  readonly number: number;
  readonly cluster: string;
  readonly title: string;
  readonly kind: string;
  readonly severity: Severity;
  readonly namespace: string | null;
  readonly owner_kind: string | null;
  readonly owner_name: string | null;
  readonly escalation_reason: string | null;
  readonly suppressed_reason: string | null;
  readonly resolution_source: string | null;
  readonly repeats: boolean;
}

/** Escalated for the same reason and cause as before, after an investigation that no person asked for. */
const REPEATS = `e.edge = 'I6'
  AND coalesce((SELECT a.actor = '${SERVICE_PRINCIPALS.investigator}' FROM incident_events a
    WHERE a.incident_id = e.incident_id AND a.edge = 'I17' AND a.seq < e.seq ORDER BY a.seq DESC LIMIT 1), false)
  AND coalesce((SELECT p.reason = e.reason FROM incident_events p
    WHERE p.incident_id = e.incident_id AND p.edge = 'I6' AND p.seq < e.seq ORDER BY p.seq DESC LIMIT 1), false)
  AND (SELECT count(DISTINCT (f.rule, f.cause->>'kind')) = 1
    FROM (SELECT id FROM investigations WHERE incident_id = e.incident_id ORDER BY attempt DESC LIMIT 2) n
    LEFT JOIN findings f ON f.investigation_id = n.id AND f.is_primary AND f.status = 'grounded')`;

/**
 * Writes one delivery for each route that the committed-to-be event matches, on the event's own transaction. Reads the event back
 * instead of taking the caller's word, so that no door into the log can forget a message. Returns how many messages are owed.
 */
export async function deriveDeliveries(
  tx: Sql,
  deps: { readonly ids: Ids; readonly routes: readonly Route[] },
  eventId: number,
): Promise<number> {
  if (deps.routes.length === 0) return 0;
  const rows = await tx.query<EventRow>(
    `SELECT e.id AS event_id, e.seq, e.kind AS event_kind, e.edge, e.from_state, e.to_state, e.reason, e.at,
       i.id, i.number, i.cluster, i.title, i.kind, i.severity, i.namespace, i.owner_kind, i.owner_name,
       i.escalation_reason, i.suppressed_reason, i.resolution_source, ${REPEATS} AS repeats
     FROM incident_events e JOIN incidents i ON i.id = e.incident_id WHERE e.id = $1`,
    [eventId],
  );
  const row = rows[0];
  if (row === undefined) return 0;
  const drafts = routeEvent(routable(row), deps.routes);
  for (const draft of drafts) {
    await tx.execute(
      `INSERT INTO notification_deliveries (id, event_id, subject_kind, subject_id, incident_id, route, channel, recipient, payload,
         payload_version, on_unknown, status, next_attempt_at, idempotency_key)
       VALUES ($1, $2, 'incident', $3::text, $4, $5, $6, $7, $8::jsonb, $9, $10, 'Pending', app_now(), $11)`,
      [
        deps.ids.uuid(),
        eventId,
        row.id,
        row.id,
        draft.route,
        draft.channel,
        draft.recipient,
        cleanJsonText(draft.payload),
        PAYLOAD_VERSION,
        draft.onUnknown,
        draft.idempotencyKey,
      ],
    );
  }
  return drafts.length;
}

function routable(row: EventRow): RoutableEvent {
  return {
    eventId: row.event_id,
    seq: row.seq,
    kind: row.event_kind,
    ...(row.edge === null ? {} : { edge: row.edge }),
    ...(row.from_state === null ? {} : { from: row.from_state }),
    ...(row.to_state === null ? {} : { to: row.to_state }),
    reason: row.reason ?? '',
    at: row.at.toISOString(),
    repeats: row.repeats,
    incident: {
      id: row.id,
      number: row.number,
      cluster: row.cluster,
      title: row.title,
      kind: row.kind,
      severity: row.severity,
      namespace: row.namespace,
      ownerKind: row.owner_kind,
      ownerName: row.owner_name,
      escalationReason: row.escalation_reason,
      suppressedReason: row.suppressed_reason,
      resolutionSource: row.resolution_source,
    },
  };
}
