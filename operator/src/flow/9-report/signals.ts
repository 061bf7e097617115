import { createRedactor } from '@hephaisto/core/evidence/redact';
import type { Sql } from '@hephaisto/core/ports/database';
import type { Readable } from '@hephaisto/core/principal/access';
import type { Signal } from '@hephaisto/core/report/signal';
import type { Disposition } from '@hephaisto/core/signal/observation';
import { createConditions, likeAnywhere, restrictTo } from './conditions.ts';
import { type Listed, type Listing, type PageRequest, readPage } from './page.ts';
import { facts, iso, type RefRow, reference, text } from './rows.ts';

interface SignalRow {
  readonly id: string;
  readonly source: string;
  readonly kind: string;
  readonly severity: string;
  readonly reason: string;
  readonly payload: unknown;
  readonly status: 'firing' | 'resolved' | 'unknown';
  readonly namespace: string | null;
  readonly owner_kind: string | null;
  readonly owner_name: string | null;
  readonly owner_chain: string[];
  readonly pod_name: string | null;
  readonly node_name: string | null;
  readonly labels: unknown;
  readonly fingerprint: string;
  readonly disposition: Disposition;
  readonly disposition_reason: string | null;
  readonly occurrences: number;
  readonly starts_at: Date | null;
  readonly ends_at: Date | null;
  readonly received_at: Date;
  readonly last_seen_at: Date;
  readonly is_self: boolean;
  readonly incident: RefRow | null;
}

const SIGNAL_SELECT = `
  SELECT s.id, s.source, s.kind, s.severity, s.reason, s.payload, s.status, s.namespace, s.owner_kind, s.owner_name, s.owner_chain,
    s.pod_name, s.node_name, s.labels, s.fingerprint, s.disposition, s.disposition_reason, s.occurrences, s.starts_at, s.ends_at,
    s.received_at, s.last_seen_at, s.is_self,
    CASE WHEN i.id IS NOT NULL THEN jsonb_build_object('id', i.id, 'number', i.number, 'title', i.title, 'state', i.state) END AS incident
  FROM signals s LEFT JOIN incidents i ON i.id = s.incident_id`;

const SIGNALS: Listing<SignalRow> = {
  name: 'signals',
  select: SIGNAL_SELECT,
  from: 'signals s',
  column: 's.id',
  type: 'uuid',
  position: (row) => row.id,
};

export interface SignalFilters {
  readonly disposition: readonly string[];
  readonly source: readonly string[];
  readonly namespace: readonly string[];
  readonly kind: readonly string[];
  readonly status?: string | undefined;
  readonly text?: string | undefined;
  readonly since?: string | undefined;
}

/** Newest first, those that opened nothing included, each with why. */
export async function listSignals(
  sql: Sql,
  readable: Readable,
  filters: SignalFilters,
  request: PageRequest,
): Promise<Listed<Signal>> {
  const conditions = createConditions();
  restrictTo(conditions, 's.namespace', readable);
  if (filters.disposition.length > 0) conditions.add('s.disposition = ANY(?::text[])', filters.disposition);
  if (filters.source.length > 0) conditions.add('s.source = ANY(?::text[])', filters.source);
  if (filters.namespace.length > 0) conditions.add('s.namespace = ANY(?::text[])', filters.namespace);
  if (filters.kind.length > 0) conditions.add('s.kind = ANY(?::text[])', filters.kind);
  if (filters.status !== undefined) conditions.add('s.status = ?', filters.status);
  if (filters.since !== undefined) conditions.add('s.last_seen_at >= ?::timestamptz', filters.since);
  if (filters.text !== undefined)
    conditions.add(`(s.reason ILIKE ? OR coalesce(s.owner_name, '') ILIKE ?)`, likeAnywhere(filters.text));
  return readPage(sql, SIGNALS, conditions, request, (rows) => rows.map(signalOf));
}

/** The newest of one incident, in the order they came. The summary carries the count of all. */
const MAX_SIGNALS = 200;

export async function signalsOf(sql: Sql, incidentId: string): Promise<Signal[]> {
  const rows = await sql.query<SignalRow>(
    `${SIGNAL_SELECT} WHERE s.incident_id = $1 ORDER BY s.last_seen_at DESC, s.id DESC LIMIT ${MAX_SIGNALS}`,
    [incidentId],
  );
  const inOrder = (a: SignalRow, b: SignalRow) =>
    a.received_at.getTime() - b.received_at.getTime() || (a.id < b.id ? -1 : 1);
  return rows.toSorted(inOrder).map(signalOf);
}

/** Rows that an earlier version wrote hold secrets as they came: an answer takes them out, whoever wrote the row. */
function signalOf(row: SignalRow): Signal {
  const redactor = createRedactor();
  const message = text(facts(row.payload)?.message);
  return {
    id: row.id,
    source: row.source,
    kind: row.kind,
    severity: row.severity,
    reason: row.reason,
    message: message === null ? null : redactor.text(message),
    status: row.status,
    statusReason: row.status === 'unknown' ? redactor.text(text(facts(row.payload)?.unknown) ?? 'not known') : null,
    namespace: row.namespace,
    ownerKind: row.owner_kind,
    ownerName: row.owner_name,
    ownerChain: row.owner_chain,
    podName: row.pod_name,
    nodeName: row.node_name,
    labels: redactor.deep(
      Object.fromEntries(Object.entries(facts(row.labels) ?? {}).map(([key, value]) => [key, text(value) ?? ''])),
    ),
    fingerprint: row.fingerprint,
    disposition: row.disposition,
    dispositionReason: row.disposition_reason,
    occurrences: row.occurrences,
    startsAt: iso(row.starts_at),
    endsAt: iso(row.ends_at),
    receivedAt: iso(row.received_at),
    lastSeenAt: iso(row.last_seen_at),
    isSelf: row.is_self,
    incident: row.incident === null ? null : reference(row.incident),
  };
}
