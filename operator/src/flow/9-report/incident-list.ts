import { type IncidentState, TERMINAL_INCIDENT_STATES } from '@hephaisto/core/incident/machine';
import type { Sql } from '@hephaisto/core/ports/database';
import type { Readable } from '@hephaisto/core/principal/access';
import type { IncidentSummary } from '@hephaisto/core/report/incident';
import { createConditions, likeAnywhere, restrictTo } from './conditions.ts';
import { SUMMARY_SELECT, type SummaryRow, summaryOf } from './incident-summary.ts';
import { type Listed, type Listing, type PageRequest, readPage } from './page.ts';

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

const INCIDENTS: Listing<SummaryRow> = {
  name: 'incidents',
  select: SUMMARY_SELECT,
  from: 'incidents i',
  column: 'i.number',
  type: 'bigint',
  position: (row) => String(row.number),
};

/** Newest first. */
export async function listIncidents(
  sql: Sql,
  readable: Readable,
  filters: IncidentFilters,
  request: PageRequest,
): Promise<Listed<IncidentSummary>> {
  return readPage(sql, INCIDENTS, filtered(readable, filters), request, (rows) => rows.map(summaryOf));
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
