import type { Sql } from '@hephaisto/core/ports/database';
import type { Readable } from '@hephaisto/core/principal/access';
import { formatCursor, type StreamCursor } from './cursor.ts';

/** One event as every listener gets it, written once; the page then reads what it needs. */
export interface StreamEvent {
  readonly cursor: StreamCursor;
  readonly namespace: string | null;
  readonly frame: string;
}

/** JSON has no line break outside strings and none inside them, so one data line always suffices. */
export function frame(name: string, data: Readonly<Record<string, unknown>>, id: string | undefined): string {
  return `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

interface EventRow {
  readonly xid: string;
  readonly id: string;
  readonly seq: number;
  readonly kind: string;
  readonly edge: string | null;
  readonly from_state: string | null;
  readonly to_state: string | null;
  readonly reason: string | null;
  readonly actor: string;
  readonly at: Date;
  readonly incident_id: string;
  readonly number: number;
  readonly title: string;
  readonly severity: string;
  readonly state: string;
  readonly version: number;
  readonly namespace: string | null;
}

/**
 * Committed events after the cursor, oldest first. Only rows of transactions older than every running one are given: what is still being
 * written may yet come before them.
 */
export async function eventsAfter(sql: Sql, cursor: StreamCursor, limit: number): Promise<readonly StreamEvent[]> {
  const rows = await sql.query<EventRow>(
    `SELECT e.xid::text AS xid, e.id::text AS id, e.seq, e.kind, e.edge, e.from_state, e.to_state, e.reason, e.actor, e.at,
       i.id AS incident_id, i.number, i.title, i.severity, i.state, i.version, i.namespace
     FROM incident_events e JOIN incidents i ON i.id = e.incident_id
     WHERE (e.xid, e.id) > ($1::text::xid8, $2::text::bigint) AND e.xid < pg_snapshot_xmin(pg_current_snapshot())
     ORDER BY e.xid, e.id LIMIT $3`,
    [cursor.xid, cursor.id, limit],
  );
  return rows.map(eventOf);
}

/** The place behind everything that is committed now. */
export async function headCursor(sql: Sql): Promise<StreamCursor> {
  const rows = await sql.query<{ xid: string }>('SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xid');
  // Everything older than the oldest running transaction lies before (xmin, 0), and everything else after it.
  return { xid: rows[0]?.xid ?? '0', id: '0' };
}

/** Whether a cursor can be resumed from: not from another database's future, and not so far back that a refetch is cheaper. */
export async function isResumable(sql: Sql, cursor: StreamCursor, mostEvents: number): Promise<boolean> {
  const rows = await sql.query<{ missed: number; past: boolean }>(
    `SELECT (SELECT count(*)::int FROM (SELECT 1 FROM incident_events e WHERE (e.xid, e.id) > ($1::text::xid8, $2::text::bigint) LIMIT $3) m)
         AS missed,
       $1::text::xid8 <= pg_snapshot_xmax(pg_current_snapshot()) AS past`,
    [cursor.xid, cursor.id, mostEvents + 1],
  );
  const row = rows[0];
  return row?.past === true && row.missed <= mostEvents;
}

/** Whether something is committed that a reader may not take yet, so that it must look again soon without being woken. */
export async function hasHeldBack(sql: Sql, cursor: StreamCursor): Promise<boolean> {
  const rows = await sql.query(
    'SELECT 1 FROM incident_events e WHERE (e.xid, e.id) > ($1::text::xid8, $2::text::bigint) LIMIT 1',
    [cursor.xid, cursor.id],
  );
  return rows.length > 0;
}

export function mayRead(readable: Readable, namespace: string | null): boolean {
  return readable.kind === 'everything' || (namespace !== null && readable.namespaces.includes(namespace));
}

const APPROVAL = 'AwaitingApproval';
const ACTING: readonly string[] = ['Acting', 'Verifying'];

function nameOf(row: EventRow): 'incident' | 'approval' | 'action' {
  if (row.from_state === APPROVAL || row.to_state === APPROVAL) return 'approval';
  return [row.from_state, row.to_state].some((state) => state !== null && ACTING.includes(state))
    ? 'action'
    : 'incident';
}

function eventOf(row: EventRow): StreamEvent {
  const cursor = { xid: row.xid, id: row.id };
  return { cursor, namespace: row.namespace, frame: frame(nameOf(row), dataOf(row), formatCursor(cursor)) };
}

function dataOf(row: EventRow): Readonly<Record<string, unknown>> {
  return {
    incident: {
      id: row.incident_id,
      number: row.number,
      title: row.title,
      severity: row.severity,
      state: row.state,
      version: row.version,
      namespace: row.namespace,
    },
    event: {
      seq: row.seq,
      kind: row.kind,
      edge: row.edge,
      from: row.from_state,
      to: row.to_state,
      reason: row.reason,
      actor: row.actor,
      at: row.at.toISOString(),
    },
  };
}
