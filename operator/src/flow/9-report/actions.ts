import type { Sql } from '@hephaisto/core/ports/database';
import type { Readable } from '@hephaisto/core/principal/access';
import { type Action, type Attempt, type Predicate, UndoRetry, type Verification } from '@hephaisto/core/report/action';
import { ACTION_COLUMNS, type ActionRow, actionSummaryOf } from './action-summary.ts';
import { createConditions, restrictTo } from './conditions.ts';
import { grouped } from './investigations.ts';
import { type Listed, type Listing, type PageRequest, readPage } from './page.ts';
import { gateOf } from './proposal-content.ts';
import { proposalsOf } from './proposals.ts';
import { facts, iso, list, text } from './rows.ts';

interface FullActionRow extends ActionRow {
  readonly inverse: unknown;
  readonly pre_state: unknown;
  readonly post_state: unknown;
  readonly failures: number;
  readonly failure: string | null;
  readonly retry_at: Date | null;
  readonly dead_letter_at: Date | null;
}

const ACTION_SELECT = `SELECT ${ACTION_COLUMNS}, a.inverse, a.pre_state, a.post_state, a.failures, a.failure, a.retry_at, a.dead_letter_at
  FROM actions a JOIN incidents i ON i.id = a.incident_id`;

const ACTIONS: Listing<FullActionRow> = {
  name: 'actions',
  select: ACTION_SELECT,
  from: 'actions a JOIN incidents i ON i.id = a.incident_id',
  column: 'a.id',
  type: 'uuid',
  position: (row) => row.action_id,
};

export interface ActionFilters {
  readonly state: readonly string[];
  readonly type: readonly string[];
  readonly namespace: readonly string[];
  /** The workload whose locks and cooldowns count, as `Deployment/checkout`. */
  readonly workload?: string | undefined;
  /** Planned since then; RFC 3339. */
  readonly since?: string | undefined;
}

/** The log of acts, newest first. */
export async function listActions(
  sql: Sql,
  readable: Readable,
  filters: ActionFilters,
  request: PageRequest,
): Promise<Listed<Action>> {
  const conditions = createConditions();
  restrictTo(conditions, 'i.namespace', readable);
  if (filters.state.length > 0) conditions.add('a.state = ANY(?::text[])', filters.state);
  if (filters.type.length > 0) conditions.add('a.type = ANY(?::text[])', filters.type);
  if (filters.namespace.length > 0) conditions.add('i.namespace = ANY(?::text[])', filters.namespace);
  if (filters.workload !== undefined) {
    const [kind = '', name = ''] = filters.workload.split('/');
    // The cluster and the namespace lead the index of actions by workload. As an array and not as a join, which planners start from the wrong end.
    conditions.addPlain('a.cluster = ANY(ARRAY(SELECT id FROM clusters))');
    if (filters.namespace.length > 0) conditions.add('a.workload_namespace = ANY(?::text[])', filters.namespace);
    conditions.add('a.workload_kind = ?', kind);
    conditions.add('a.workload_name = ?', name);
  }
  if (filters.since !== undefined) conditions.add('a.created_at >= ?::timestamptz', filters.since);
  return readPage(sql, ACTIONS, conditions, request, (rows) => assembledAcross(sql, rows));
}

/** Rows of several incidents, in the order in which they came. */
async function assembledAcross(sql: Sql, rows: readonly FullActionRow[]): Promise<Action[]> {
  const items: Action[] = [];
  for (const incidentId of new Set(rows.map((row) => row.incident_id))) {
    const ofOne = rows.filter((row) => row.incident_id === incidentId);
    items.push(...(await assembled(sql, incidentId, ofOne)));
  }
  return items.sort((a, b) => (a.id < b.id ? 1 : -1));
}

/** All actions of the incident, newest first, with proposals, attempts and verifications. */
export async function actionsOf(sql: Sql, incidentId: string): Promise<Action[]> {
  const rows = await sql.query<FullActionRow>(
    `${ACTION_SELECT} WHERE a.incident_id = $1 ORDER BY a.created_at DESC, a.ordinal`,
    [incidentId],
  );
  return assembled(sql, incidentId, rows);
}

async function assembled(sql: Sql, incidentId: string, rows: readonly FullActionRow[]): Promise<Action[]> {
  if (rows.length === 0) return [];
  const proposals = await proposalsOf(sql, incidentId);
  const ids = rows.map((row) => row.action_id);
  const attempts = await attemptsOf(sql, ids);
  const verifications = await verificationsOf(sql, ids);
  return rows.map((row) => ({
    ...actionSummaryOf(row),
    proposals: proposals.get(row.action_id) ?? [],
    attempts: attempts.get(row.action_id) ?? [],
    verifications: verifications.get(row.action_id) ?? [],
    inverse: facts(row.inverse),
    preState: facts(row.pre_state),
    postState: facts(row.post_state),
    failing: failingOf(row),
    undoRetry: undoRetryOf(facts(row.post_state)?.undoRetry),
  }));
}

function failingOf(row: FullActionRow): Action['failing'] {
  if (row.failure === null) return null;
  const { failures, failure: message } = row;
  return { failures, message, retryAt: iso(row.retry_at), deadLetterAt: iso(row.dead_letter_at) };
}

function undoRetryOf(stored: unknown): Action['undoRetry'] {
  const retry = facts(stored);
  const parsed = UndoRetry.safeParse({ ...retry, nextAt: instant(retry?.at), since: instant(retry?.since) });
  return parsed.success ? parsed.data : null;
}

/** As the API writes instants; inside a JSON column the database writes them with its own offset. */
function instant(value: unknown): string | undefined {
  const at = typeof value === 'string' ? new Date(value) : undefined;
  return at === undefined || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

interface AttemptRow {
  readonly id: string;
  readonly action_id: string;
  readonly phase: Attempt['phase'];
  readonly n: number;
  readonly request: unknown;
  readonly outcome: string;
  readonly http_status: number | null;
  readonly response: unknown;
  readonly gates: unknown;
  readonly readback: string | null;
  readonly readback_at: Date | null;
  readonly k8s_event: string | null;
  readonly started_at: Date;
  readonly finished_at: Date | null;
}

async function attemptsOf(sql: Sql, actionIds: readonly string[]): Promise<Map<string, Attempt[]>> {
  const rows = await sql.query<AttemptRow>(
    `SELECT id, action_id, phase, n, request, outcome, http_status, response, gates, readback, readback_at, k8s_event, started_at,
       finished_at FROM action_attempts WHERE action_id = ANY($1::uuid[]) ORDER BY started_at, n`,
    [actionIds],
  );
  return grouped(rows, (row) => row.action_id, attemptOf);
}

function attemptOf(row: AttemptRow): Attempt {
  return {
    id: row.id,
    phase: row.phase,
    n: row.n,
    request: facts(row.request) ?? {},
    outcome: row.outcome,
    httpStatus: row.http_status,
    message: text(facts(row.response)?.message),
    gates: list(row.gates).map(gateOf),
    readback: row.readback,
    readbackAt: iso(row.readback_at),
    kubernetesEvent: row.k8s_event,
    startedAt: iso(row.started_at),
    finishedAt: iso(row.finished_at),
  };
}

interface VerificationRow {
  readonly action_id: string;
  readonly subject: 'action' | 'rollback';
  readonly attempt: number;
  readonly question: string;
  readonly due_at: Date;
  readonly ran_at: Date | null;
  readonly result: 'Passed' | 'Failed' | 'Inconclusive' | null;
  readonly predicates: unknown;
}

async function verificationsOf(sql: Sql, actionIds: readonly string[]): Promise<Map<string, Verification[]>> {
  const rows = await sql.query<VerificationRow>(
    `SELECT action_id, subject, attempt, question, due_at, ran_at, result, predicates
     FROM verifications WHERE action_id = ANY($1::uuid[]) ORDER BY subject, attempt`,
    [actionIds],
  );
  return grouped(rows, (row) => row.action_id, verificationOf);
}

function verificationOf(row: VerificationRow): Verification {
  return {
    subject: row.subject,
    attempt: row.attempt,
    question: row.question,
    dueAt: iso(row.due_at),
    ranAt: iso(row.ran_at),
    result: row.result,
    predicates: list(row.predicates).map(predicateOf),
  };
}

function predicateOf(value: unknown): Predicate {
  const predicate = facts(value) ?? {};
  return {
    predicate: text(predicate.predicate) ?? '',
    verdict: text(predicate.verdict) ?? '',
    code: text(predicate.code) ?? '',
    message: text(predicate.message) ?? '',
    measured: facts(predicate.measured),
  };
}
