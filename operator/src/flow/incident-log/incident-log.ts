import type { Route } from '@hephaisto/core/delivery/route';
import { type IncidentEdge, type IncidentState, judgeIncidentEdge } from '@hephaisto/core/incident/machine';
import type { Ids } from '@hephaisto/core/ports/clock';
import type { Sql } from '@hephaisto/core/ports/database';
import type {
  IncidentLog,
  IncidentNote,
  Moved,
  OpenIncident,
  Refused,
  Transition,
} from '@hephaisto/core/ports/incident-log';
import type { Metrics } from '@hephaisto/core/ports/telemetry';
import { nudge, type StageName } from '../stage.ts';
import { deriveDeliveries } from './deliveries.ts';
import { appendEvent, type EventToAppend, insertIncident, lockIncident, moveIncident } from './rows.ts';

/** Channel on which each committed event announces its incident's id; listeners read the rows, the payload is only a hint. */
export const EVENT_CHANNEL = 'hephaisto_event';

/** Which stage has work once an incident is in a state. Terminal and waiting states wake nobody. */
const NEXT_STAGE: Readonly<Partial<Record<IncidentState, StageName>>> = {
  Detected: 'incident',
  Triaging: 'incident',
  Investigating: 'investigate',
  Acting: 'act',
  Verifying: 'verify',
};

/** The incident log over a database. `routes` say which events owe which messages. Edges are counted once their transaction has committed. */
export function createIncidentLog(deps: {
  readonly ids: Ids;
  readonly routes: readonly Route[];
  readonly metrics?: Pick<Metrics, 'count'>;
}): IncidentLog {
  async function record(tx: Sql, event: EventToAppend): Promise<{ eventId: number; seq: number }> {
    const appended = await appendEvent(tx, event);
    const owed = await deriveDeliveries(tx, deps, appended.eventId);
    await tx.query('SELECT pg_notify($1, $2)', [EVENT_CHANNEL, event.incidentId]);
    if (owed > 0) await nudge(tx, 'notify');
    if (event.edge !== undefined && event.to !== undefined) countEdge(tx, { edge: event.edge, to: event.to });
    return appended;
  }

  function countEdge(tx: Sql, labels: { readonly edge: string; readonly to: string }): void {
    const count = (): void => deps.metrics?.count('incident_transitions_total', labels);
    if (tx.afterCommit === undefined) count();
    else tx.afterCommit(count);
  }

  return {
    async open(tx, incident) {
      const verdict = judgeIncidentEdge('I1', '');
      if (verdict.kind === 'illegal') throw new Error(verdict.message);
      await insertIncident(tx, incident, verdict.to);
      const event = await record(tx, openingEvent(incident, verdict.to));
      await nudge(tx, 'incident');
      return moved('', verdict.to, event);
    },

    async transition(tx, transition) {
      const row = await lockIncident(tx, transition.incidentId);
      if (row === undefined) return notFound(transition.incidentId);
      const verdict = judgeIncidentEdge(transition.edge, row.state);
      if (verdict.kind === 'illegal') {
        return { kind: 'refused', reason: verdict.reason, message: verdict.message, state: row.state };
      }
      await moveIncident(tx, row, transition, verdict.to);
      const event = await record(tx, transitionEvent(row, transition, verdict.to));
      const next = NEXT_STAGE[verdict.to];
      if (next !== undefined) await nudge(tx, next);
      return moved(row.state, verdict.to, event);
    },

    async note(tx, note) {
      const row = await lockIncident(tx, note.incidentId);
      if (row === undefined) throw new Error(notFound(note.incidentId).message);
      await tx.execute('UPDATE incidents SET version = version + 1 WHERE id = $1', [note.incidentId]);
      return await record(tx, noteEvent(row, note));
    },
  };
}

function moved(from: IncidentState | '', to: IncidentState, event: { eventId: number; seq: number }): Moved {
  return { kind: 'moved', from, to, eventId: event.eventId, seq: event.seq };
}

function notFound(incidentId: string): Refused {
  return {
    kind: 'refused',
    reason: 'incident-not-found',
    message: `expected an incident, found none with the id \`${incidentId}\``,
  };
}

function openingEvent(incident: OpenIncident, to: IncidentState): EventToAppend {
  return {
    incidentId: incident.id,
    cluster: incident.cluster,
    seq: 1,
    kind: 'transition',
    edge: 'I1' satisfies IncidentEdge,
    from: undefined,
    to,
    reason: incident.reason,
    actor: incident.actor,
    origin: incident.origin,
    data: {
      fingerprint: incident.fingerprint,
      ...(incident.recurrenceOf === undefined ? {} : { recurrenceOf: incident.recurrenceOf }),
    },
  };
}

function transitionEvent(
  row: { cluster: string; version: number; state: IncidentState },
  transition: Transition,
  to: IncidentState,
): EventToAppend {
  // The note of whoever closes stays on the incident's row: words of persons must be erasable, and events are for ever.
  const outcome = {
    suppressedReason: transition.suppressedReason,
    escalationReason: transition.escalationReason,
    rollbackSubReason: transition.rollbackSubReason,
    resolutionSource: transition.resolutionSource,
    causedBy: transition.causedBy,
    absorbedBy: transition.absorbedBy,
  };
  return {
    incidentId: transition.incidentId,
    cluster: row.cluster,
    seq: row.version + 1,
    kind: 'transition',
    edge: transition.edge,
    from: row.state,
    to,
    reason: transition.reason,
    actor: transition.actor,
    origin: transition.origin,
    // JSON drops what is undefined.
    data: { ...transition.data, ...outcome },
  };
}

function noteEvent(row: { cluster: string; version: number }, note: IncidentNote): EventToAppend {
  return {
    incidentId: note.incidentId,
    cluster: row.cluster,
    seq: row.version + 1,
    kind: note.kind,
    edge: undefined,
    from: undefined,
    to: undefined,
    reason: note.reason,
    actor: note.actor,
    origin: note.origin,
    data: note.data ?? {},
  };
}
