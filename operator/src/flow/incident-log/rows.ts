import { type IncidentState, TERMINAL_INCIDENT_STATES } from '@hephaisto/core/incident/machine';
import type { Sql } from '@hephaisto/core/ports/database';
import type { EventOrigin, IncidentNote, OpenIncident, Transition } from '@hephaisto/core/ports/incident-log';
import { cleanJsonText } from '@hephaisto/core/signal/clean-text';

export interface LockedIncident {
  readonly id: string;
  readonly cluster: string;
  readonly state: IncidentState;
  /** Number of events so far: the next event's `seq` is one more. */
  readonly version: number;
}

export interface EventToAppend {
  readonly incidentId: string;
  readonly cluster: string;
  readonly seq: number;
  readonly kind: 'transition' | IncidentNote['kind'];
  readonly edge: string | undefined;
  readonly from: IncidentState | undefined;
  readonly to: IncidentState | undefined;
  readonly reason: string;
  readonly actor: string;
  readonly origin: EventOrigin;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Holds the row until the transaction ends, so that events of one incident are numbered without a gap and judged one by one. */
export async function lockIncident(tx: Sql, incidentId: string): Promise<LockedIncident | undefined> {
  const rows = await tx.query<LockedIncident>(
    'SELECT id, cluster, state, version FROM incidents WHERE id = $1 FOR UPDATE',
    [incidentId],
  );
  return rows[0];
}

export async function insertIncident(tx: Sql, incident: OpenIncident, state: IncidentState): Promise<void> {
  await tx.execute(
    `INSERT INTO incidents (id, cluster, fingerprint, correlation_key, kind, title, severity, namespace, owner_kind, owner_name,
       owner_chain, node_name, state, state_since, is_self, is_meta, recurrence_of, first_signal_at, last_signal_at, version, traceparent)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, app_now(), $14, $15, $16, $17, $18, 1, $19)`,
    [
      incident.id,
      incident.cluster,
      incident.fingerprint,
      incident.correlationKey ?? null,
      incident.kind,
      incident.title,
      incident.severity,
      incident.namespace ?? null,
      incident.owner?.kind ?? null,
      incident.owner?.name ?? null,
      incident.ownerChain,
      incident.nodeName ?? null,
      state,
      incident.isSelf,
      incident.isMeta,
      incident.recurrenceOf ?? null,
      incident.firstSignalAt,
      incident.lastSignalAt,
      incident.traceparent ?? null,
    ],
  );
}

/** Reasons stay on a closed incident, since they say how it ended; one that is worked on again starts without them. */
export async function moveIncident(tx: Sql, row: LockedIncident, change: Transition, to: IncidentState): Promise<void> {
  const terminal = TERMINAL_INCIDENT_STATES.includes(to);
  const keep = terminal || to === 'Escalated';
  await tx.execute(
    `UPDATE incidents SET state = $2, version = version + 1,
       state_since = CASE WHEN state = $2 THEN state_since ELSE app_now() END,
       suppressed_reason = coalesce($3, suppressed_reason),
       escalation_reason = CASE WHEN $4::text IS NOT NULL THEN $4 WHEN $5 THEN escalation_reason END,
       resolution_source = coalesce($6, resolution_source), resolution_note = coalesce($7, resolution_note),
       caused_by = coalesce($8, caused_by), absorbed_by = coalesce($9, absorbed_by),
       closed_at = CASE WHEN $10 THEN app_now() END,
       rollback_sub_reason = coalesce($11, CASE WHEN $5 THEN rollback_sub_reason END)
     WHERE id = $1`,
    [
      row.id,
      to,
      change.suppressedReason ?? null,
      change.escalationReason ?? null,
      keep,
      change.resolutionSource ?? null,
      change.resolutionNote ?? null,
      change.causedBy ?? null,
      change.absorbedBy ?? null,
      terminal,
      change.rollbackSubReason ?? null,
    ],
  );
}

export async function appendEvent(tx: Sql, event: EventToAppend): Promise<{ eventId: number; seq: number }> {
  const rows = await tx.query<{ id: number }>(
    `INSERT INTO incident_events (incident_id, cluster, seq, kind, edge, from_state, to_state, reason, actor, origin, data)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::jsonb) RETURNING id`,
    [
      event.incidentId,
      event.cluster,
      event.seq,
      event.kind,
      event.edge ?? null,
      event.from ?? null,
      event.to ?? null,
      event.reason,
      event.actor,
      event.origin,
      cleanJsonText(event.data),
    ],
  );
  const id = rows[0]?.id;
  if (id === undefined) throw new Error('expected the inserted event, found no row; this is a bug in hephaisto');
  return { eventId: id, seq: event.seq };
}
