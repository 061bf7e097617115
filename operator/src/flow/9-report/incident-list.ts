import { type IncidentState, TERMINAL_INCIDENT_STATES } from '@hephaisto/core/incident/machine';
import type { Sql } from '@hephaisto/core/ports/database';
import type { Readable } from '@hephaisto/core/principal/access';
import type { IncidentSummary } from '@hephaisto/core/report/incident';
import type { Page } from '@hephaisto/core/report/named';
import { createConditions, likeAnywhere, restrictTo } from './conditions.ts';
import { decodeCursor, encodeCursor, NUMBER_SHAPE } from './cursor.ts';
import { SUMMARY_SELECT, type SummaryRow, summaryOf } from './incident-summary.ts';

/** Empty lists filter nothing. */
export interface IncidentFilters {
  readonly state: readonly IncidentState[];
  readonly severity: readonly string[];
  readonly namespace: readonly string[];
  readonly kind: readonly string[];
  readonly owner?: string | undefined;
  readonly text?: string | undefined;
  readonly open?: boolean | undefined;
  /** Incidents with a signal at or after. */
  readonly since?: string | undefined;
}

export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export type Listed<T> =
  | { readonly kind: 'page'; readonly page: Page<T> }
  | { readonly kind: 'refused'; readonly reason: 'invalid-cursor'; readonly message: string };

export const INVALID_CURSOR = {
  kind: 'refused',
  reason: 'invalid-cursor',
  message: 'expected a cursor that an earlier page gave, found another text',
} as const;

/**
 * Newest first. The cursor is the incident's number, which grows with each opening: incidents that open between two pages come before
 * both, so no row is shown twice or left out.
 */
export async function listIncidents(
  sql: Sql,
  readable: Readable,
  filters: IncidentFilters,
  request: PageRequest,
): Promise<Listed<IncidentSummary>> {
  const before = request.cursor === undefined ? undefined : decodeCursor(request.cursor, NUMBER_SHAPE);
  if (request.cursor !== undefined && before === undefined) return INVALID_CURSOR;
  const conditions = filtered(readable, filters);
  const counted = await sql.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM incidents i ${conditions.where()}`,
    conditions.values,
  );
  if (before !== undefined) conditions.add('i.number < ?::bigint', before);
  const limit = conditions.place(request.limit + 1);
  const rows = await sql.query<SummaryRow>(
    `${SUMMARY_SELECT} ${conditions.where()} ORDER BY i.number DESC LIMIT ${limit}`,
    conditions.values,
  );
  const shown = rows.slice(0, request.limit);
  const last = shown.at(-1);
  return {
    kind: 'page',
    page: {
      items: shown.map(summaryOf),
      next: rows.length > request.limit && last !== undefined ? encodeCursor(String(last.number)) : null,
      total: counted[0]?.total ?? 0,
    },
  };
}

function filtered(readable: Readable, filters: IncidentFilters) {
  const conditions = createConditions();
  restrictTo(conditions, 'i.namespace', readable);
  if (filters.state.length > 0) conditions.add('i.state = ANY(?::text[])', filters.state);
  if (filters.severity.length > 0) conditions.add('i.severity = ANY(?::text[])', filters.severity);
  if (filters.namespace.length > 0) conditions.add('i.namespace = ANY(?::text[])', filters.namespace);
  if (filters.kind.length > 0) conditions.add('i.kind = ANY(?::text[])', filters.kind);
  if (filters.owner !== undefined) conditions.add('i.owner_name = ?', filters.owner);
  if (filters.since !== undefined) conditions.add('i.last_signal_at >= ?::timestamptz', filters.since);
  if (filters.open === true) conditions.add('NOT (i.state = ANY(?::text[]))', TERMINAL_INCIDENT_STATES);
  if (filters.open === false) conditions.add('i.state = ANY(?::text[])', TERMINAL_INCIDENT_STATES);
  if (filters.text !== undefined) {
    conditions.add(
      `(i.title ILIKE ? OR coalesce(i.owner_name, '') ILIKE ? OR coalesce(i.namespace, '') ILIKE ? OR i.kind ILIKE ?)`,
      likeAnywhere(filters.text),
    );
  }
  return conditions;
}
