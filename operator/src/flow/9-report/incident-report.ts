import { type IncidentState, TERMINAL_INCIDENT_STATES } from '@hephaisto/core/incident/machine';
import type { Database, Sql } from '@hephaisto/core/ports/database';
import { changesOf } from '@hephaisto/core/report/changes';
import type { IncidentEvent, IncidentReport, Notification, Sample } from '@hephaisto/core/report/incident';
import { timeInStates } from '@hephaisto/core/report/time-in-states';
import { readTraceparent } from '@hephaisto/core/signal/traceparent';
import { actionsOf } from './actions.ts';
import { SUMMARY_SELECT, type SummaryRow, summaryOf } from './incident-summary.ts';
import { investigationsOf, planOf } from './investigations.ts';
import { facts, iso, person, type RefRow, reference } from './rows.ts';
import { signalsOf } from './signals.ts';

/** By its id or by the number that people say. */
export type IncidentKey = { readonly id: string } | { readonly number: number };

interface HeadRow extends SummaryRow {
  readonly owner_chain: string[];
  readonly fingerprint: string;
  readonly correlation_key: string | null;
  readonly absorbed_by: string | null;
  readonly caused_by: string | null;
  readonly recurrence_of: string | null;
  readonly traceparent: string | null;
  readonly now: Date;
}

/** Where an incident lies: what a caller's role is judged by. */
export interface IncidentPlace {
  readonly id: string;
  readonly namespace: string | null;
  readonly state: IncidentState;
  readonly version: number;
}

export async function locateIncident(sql: Sql, key: IncidentKey): Promise<IncidentPlace | undefined> {
  const [column, value] = 'id' in key ? ['id', key.id] : ['number', key.number];
  const rows = await sql.query<IncidentPlace>(
    `SELECT id, namespace, state, version FROM incidents WHERE ${column} = $1`,
    [value],
  );
  return rows[0];
}

/**
 * Everything of one incident as it stood at one moment. `seenVersion` is the version a reader has already seen; the report then says what
 * happened since.
 */
export async function readIncident(
  db: Database,
  id: string,
  seenVersion: number | undefined,
): Promise<IncidentReport | undefined> {
  return db.transaction((tx) => assemble(tx, id, seenVersion), { isolation: 'repeatable read' });
}

async function assemble(tx: Sql, id: string, seenVersion: number | undefined): Promise<IncidentReport | undefined> {
  const heads = await tx.query<HeadRow>(
    `SELECT h.*, x.owner_chain, x.fingerprint, x.correlation_key, x.absorbed_by, x.caused_by, x.recurrence_of, x.traceparent, app_now() AS now
     FROM (${SUMMARY_SELECT} WHERE i.id = $1) h JOIN incidents x ON x.id = h.id`,
    [id],
  );
  const head = heads[0];
  if (head === undefined) return undefined;
  const events = await eventsOf(tx, id);
  const transitions = await transitionsOf(tx, id);
  const investigations = await investigationsOf(tx, id);
  const actions = await actionsOf(tx, id);
  const links = await linksOf(tx, head);
  const latest = investigations[0];
  const primary = latest?.findings.find((finding) => finding.primary);
  return {
    ...summaryOf(head),
    ownerChain: head.owner_chain,
    fingerprint: head.fingerprint,
    correlationKey: head.correlation_key,
    traceId: readTraceparent(head.traceparent)?.traceId ?? null,
    signals: await signalsOf(tx, id),
    events,
    eventCount: transitions.events,
    states: timeInStates(transitions.rows, head.now.toISOString(), TERMINAL_INCIDENT_STATES),
    investigations,
    alternatives: (latest?.findings ?? [])
      .filter((finding) => !finding.primary)
      .map((finding) => ({
        rule: finding.rule,
        statement: finding.statement,
        certainty: finding.certainty,
        dropped: finding.status === 'dropped',
      })),
    changes: changesOf(primary?.cause ?? {}),
    plan: await planOf(tx, id),
    currentProposal: newest(actions.flatMap((action) => action.proposals)),
    actions,
    notifications: await notificationsOf(tx, id),
    samples: await samplesOf(tx, head),
    ...links,
    changedSince:
      seenVersion === undefined
        ? null
        : { version: seenVersion, events: events.filter((event) => event.seq > seenVersion) },
  };
}

function newest(proposals: IncidentReport['actions'][number]['proposals']): IncidentReport['currentProposal'] {
  return [...proposals].sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1))[0] ?? null;
}

interface EventRow {
  readonly id: number;
  readonly seq: number;
  readonly kind: string;
  readonly edge: string | null;
  readonly from_state: string | null;
  readonly to_state: string | null;
  readonly reason: string | null;
  readonly actor: string;
  readonly actor_name: string | null;
  readonly origin: string;
  readonly data: unknown;
  readonly at: Date;
}

/** Newest events of one report. An incident that flaps for weeks would else make its report, and each refresh of its page, grow for ever. */
const MAX_EVENTS = 500;
const MAX_TRANSITIONS = 2_000;

interface Transition {
  readonly kind: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly at: string;
}

/** Times in states need older transitions than the report shows, but nothing else of them. */
async function transitionsOf(tx: Sql, id: string): Promise<{ readonly rows: Transition[]; readonly events: number }> {
  const rows = await tx.query<{ from_state: string | null; to_state: string | null; at: Date }>(
    `SELECT from_state, to_state, at FROM incident_events WHERE incident_id = $1 AND kind = 'transition'
     ORDER BY seq DESC LIMIT ${MAX_TRANSITIONS}`,
    [id],
  );
  const [count] = await tx.query<{ events: number }>(
    'SELECT count(*)::int AS events FROM incident_events WHERE incident_id = $1',
    [id],
  );
  return {
    rows: rows
      .map((row) => ({ kind: 'transition', from: row.from_state, to: row.to_state, at: iso(row.at) }))
      .reverse(),
    events: count?.events ?? 0,
  };
}

async function eventsOf(tx: Sql, id: string): Promise<IncidentEvent[]> {
  const rows = await tx.query<EventRow>(
    `SELECT e.id, e.seq, e.kind, e.edge, e.from_state, e.to_state, e.reason, e.actor, n.display_name AS actor_name, e.origin, e.data, e.at
     FROM incident_events e LEFT JOIN principals n ON n.subject = e.actor WHERE e.incident_id = $1
     ORDER BY e.seq DESC LIMIT ${MAX_EVENTS}`,
    [id],
  );
  return rows.toReversed().map((row) => ({
    id: row.id,
    seq: row.seq,
    kind: row.kind,
    edge: row.edge,
    from: row.from_state,
    to: row.to_state,
    reason: row.reason,
    actor: person(row.actor, row.actor_name),
    origin: row.origin,
    data: facts(row.data) ?? {},
    at: iso(row.at),
  }));
}

type Links = Pick<IncidentReport, 'recurrenceOf' | 'recurrences' | 'causedBy' | 'causes' | 'absorbedBy' | 'absorbed'>;

/** Newest incidents of each kind of link. */
const MAX_LINKED = 100;

async function linksOf(tx: Sql, head: HeadRow): Promise<Links> {
  const rows = await tx.query<RefRow & { link: string }>(
    `SELECT i.id, i.number, i.title, i.state, l.link FROM (
       SELECT 'recurrenceOf' AS link, $2::uuid AS id UNION ALL SELECT 'causedBy', $3::uuid UNION ALL SELECT 'absorbedBy', $4::uuid
       UNION ALL (SELECT 'recurrences', x.id FROM incidents x WHERE x.recurrence_of = $1 ORDER BY x.number DESC LIMIT ${MAX_LINKED})
       UNION ALL (SELECT 'causes', x.id FROM incidents x WHERE x.caused_by = $1 ORDER BY x.number DESC LIMIT ${MAX_LINKED})
       UNION ALL (SELECT 'absorbed', x.id FROM incidents x WHERE x.absorbed_by = $1 ORDER BY x.number DESC LIMIT ${MAX_LINKED})) l
     JOIN incidents i ON i.id = l.id ORDER BY i.number`,
    [head.id, head.recurrence_of, head.caused_by, head.absorbed_by],
  );
  const all = (link: string) => rows.filter((row) => row.link === link).map(reference);
  return {
    recurrenceOf: all('recurrenceOf')[0] ?? null,
    recurrences: all('recurrences'),
    causedBy: all('causedBy')[0] ?? null,
    causes: all('causes'),
    absorbedBy: all('absorbedBy')[0] ?? null,
    absorbed: all('absorbed'),
  };
}

interface NotificationRow {
  readonly id: string;
  readonly route: string;
  readonly channel: string;
  readonly recipient: string;
  readonly status: string;
  readonly attempts: number;
  readonly error_kind: string | null;
  readonly suppressed_reason: string | null;
  readonly event_seq: number | null;
  readonly created_at: Date;
  readonly delivered_at: Date | null;
}

const MAX_NOTIFICATIONS = 200;

async function notificationsOf(tx: Sql, id: string): Promise<Notification[]> {
  const rows = await tx.query<NotificationRow>(
    `SELECT d.id, d.route, d.channel, d.recipient, d.status, d.attempts, d.error_kind, d.suppressed_reason, e.seq AS event_seq,
       d.created_at, d.delivered_at
     FROM notification_deliveries d LEFT JOIN incident_events e ON e.id = d.event_id
     WHERE d.incident_id = $1 ORDER BY d.created_at DESC, d.id DESC LIMIT ${MAX_NOTIFICATIONS}`,
    [id],
  );
  return rows.toReversed().map((row) => ({
    id: row.id,
    route: row.route,
    channel: row.channel,
    recipient: row.recipient,
    status: row.status,
    attempts: row.attempts,
    errorKind: row.error_kind,
    suppressedReason: row.suppressed_reason,
    eventSeq: row.event_seq,
    createdAt: iso(row.created_at),
    deliveredAt: iso(row.delivered_at),
  }));
}

/** Enough points for a picture, the newest ones. */
const MOST_SAMPLES = 500;

async function samplesOf(tx: Sql, head: HeadRow): Promise<Sample[]> {
  const rows = await tx.query<{ at: Date; desired: number; ready: number; restarts: number }>(
    `SELECT at, desired, ready, restarts FROM workload_samples
     WHERE cluster = $1 AND namespace = $2 AND kind = $3 AND name = $4 ORDER BY at DESC LIMIT ${MOST_SAMPLES}`,
    [head.cluster, head.namespace, head.owner_kind, head.owner_name],
  );
  return rows
    .map((row) => ({ at: iso(row.at), desired: row.desired, ready: row.ready, restarts: row.restarts }))
    .reverse();
}
