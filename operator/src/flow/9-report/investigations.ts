import type { Certainty, EvidenceRejection, FindingCategory } from '@hephaisto/core/finding/finding';
import type { InvestigationState } from '@hephaisto/core/investigation/investigator';
import type { Sql } from '@hephaisto/core/ports/database';
import type { Finding, Investigation, PlanReport, Step } from '@hephaisto/core/report/investigation';
import { modelUse, modelUsesOf, spendOf } from './model-use.ts';
import { facts, iso, list, text } from './rows.ts';

interface InvestigationRow {
  readonly id: string;
  readonly attempt: number;
  readonly cause: string;
  readonly executor: string;
  readonly state: InvestigationState;
  readonly end_reason: string | null;
  readonly steps_used: number;
  readonly budget_steps: number;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
  readonly gaps: unknown;
  readonly model_note: unknown;
  readonly turn_id: string | null;
  readonly budget_usd: string;
}

/** All looks at the incident with their steps and findings, newest first. */
export async function investigationsOf(sql: Sql, incidentId: string): Promise<Investigation[]> {
  const rows = await sql.query<InvestigationRow>(
    `SELECT id, attempt, cause, executor, state, end_reason, steps_used, budget_steps, created_at, started_at, ended_at, gaps,
       model_note, turn_id, budget_usd
     FROM investigations WHERE incident_id = $1 ORDER BY attempt DESC`,
    [incidentId],
  );
  const steps = await stepsOf(sql, incidentId);
  const findings = await findingsOf(sql, incidentId);
  const uses = await modelUsesOf(sql, incidentId);
  return rows.map((row) => ({
    id: row.id,
    attempt: row.attempt,
    cause: row.cause,
    investigator: row.executor,
    model: modelUse(row, uses.get(row.turn_id ?? '')),
    state: row.state,
    endReason: row.end_reason,
    stepsUsed: row.steps_used,
    budgetSteps: row.budget_steps,
    createdAt: iso(row.created_at),
    startedAt: iso(row.started_at),
    endedAt: iso(row.ended_at),
    steps: steps.get(row.id) ?? [],
    findings: findings.get(row.id) ?? [],
    gaps: list(row.gaps).map((gap) => gapOf(facts(gap) ?? {})),
  }));
}

function gapOf(gap: Record<string, unknown>): Investigation['gaps'][number] {
  return {
    source: text(gap.source) ?? '',
    query: text(gap.query) ?? '',
    reason: text(gap.reason) ?? '',
    message: text(gap.message) ?? '',
    wouldHaveTold: text(gap.wouldHaveTold) ?? '',
  };
}

interface StepRow {
  readonly investigation_id: string;
  readonly id: string;
  readonly ordinal: number;
  readonly tool_name: string;
  readonly args: unknown;
  readonly status: string;
  readonly error_kind: string | null;
  readonly result_text: string | null;
  readonly result_sha256: string | null;
  readonly raw_bytes: number | null;
  readonly truncated: boolean;
  readonly tainted: boolean;
  readonly raw_available: boolean;
  readonly requested_at: Date;
  readonly finished_at: Date | null;
}

async function stepsOf(sql: Sql, incidentId: string): Promise<Map<string, Step[]>> {
  const rows = await sql.query<StepRow>(
    `SELECT s.investigation_id, s.id, s.ordinal, s.tool_name, s.args, s.status, s.error_kind, s.result_text, s.result_sha256, s.raw_bytes,
       s.truncated, s.tainted, s.requested_at, s.finished_at,
       EXISTS (SELECT 1 FROM evidence_blobs b WHERE b.step_id = s.id AND b.expires_at > app_now()) AS raw_available
     FROM steps s JOIN investigations n ON n.id = s.investigation_id
     WHERE n.incident_id = $1 ORDER BY s.attempt, s.ordinal`,
    [incidentId],
  );
  return grouped(rows, (row) => row.investigation_id, stepOf);
}

function stepOf(row: StepRow): Step {
  return {
    id: row.id,
    ordinal: row.ordinal,
    tool: row.tool_name,
    args: facts(row.args) ?? {},
    status: row.status,
    errorKind: row.error_kind,
    text: row.result_text,
    sha256: row.result_sha256,
    rawBytes: row.raw_bytes,
    truncated: row.truncated,
    tainted: row.tainted,
    rawAvailable: row.raw_available,
    requestedAt: iso(row.requested_at),
    finishedAt: iso(row.finished_at),
  };
}

interface FindingRow {
  readonly investigation_id: string;
  readonly id: string;
  readonly ordinal: number;
  readonly category: FindingCategory;
  readonly statement: string;
  readonly certainty: Certainty;
  readonly rule: string | null;
  readonly cause: unknown;
  readonly is_primary: boolean;
  readonly status: 'grounded' | 'dropped';
  readonly drop_reason: string | null;
}

interface EvidenceRow {
  readonly finding_id: string;
  readonly step_id: string | null;
  readonly cited_step: string;
  readonly excerpt: string;
  readonly accepted: boolean;
  readonly reject_reason: EvidenceRejection | null;
}

async function findingsOf(sql: Sql, incidentId: string): Promise<Map<string, Finding[]>> {
  const rows = await sql.query<FindingRow>(
    `SELECT f.investigation_id, f.id, f.ordinal, f.category, f.statement, f.certainty, f.rule, f.cause, f.is_primary, f.status, f.drop_reason
     FROM findings f JOIN investigations n ON n.id = f.investigation_id
     WHERE n.incident_id = $1 ORDER BY f.ordinal`,
    [incidentId],
  );
  const quotes = await sql.query<EvidenceRow>(
    `SELECT e.finding_id, e.step_id, e.cited_step, e.excerpt, e.accepted, e.reject_reason
     FROM finding_evidence e JOIN findings f ON f.id = e.finding_id JOIN investigations n ON n.id = f.investigation_id
     WHERE n.incident_id = $1 ORDER BY e.id`,
    [incidentId],
  );
  const evidence = grouped(quotes, (row) => row.finding_id, evidenceOf);
  return grouped(
    rows,
    (row) => row.investigation_id,
    (row) => ({
      id: row.id,
      ordinal: row.ordinal,
      category: row.category,
      statement: row.statement,
      certainty: row.certainty,
      rule: row.rule,
      saidBy: row.rule === null ? ('model' as const) : ('rules' as const),
      cause: facts(row.cause) ?? {},
      primary: row.is_primary,
      status: row.status,
      dropReason: row.drop_reason,
      evidence: evidence.get(row.id) ?? [],
    }),
  );
}

function evidenceOf(row: EvidenceRow): Finding['evidence'][number] {
  return {
    stepId: row.step_id,
    citedStep: row.cited_step,
    excerpt: row.excerpt,
    accepted: row.accepted,
    rejectReason: row.reject_reason,
  };
}

interface PlanRow {
  readonly id: string;
  readonly producer: string;
  readonly status: 'accepted' | 'rejected' | 'empty';
  readonly reject_reason: string | null;
  readonly raw: unknown;
  readonly turn_id: string | null;
  readonly created_at: Date;
}

/** The newest plan, with what a person would run where nothing can be done by itself. */
export async function planOf(sql: Sql, incidentId: string): Promise<PlanReport | null> {
  const rows = await sql.query<PlanRow>(
    `SELECT id, producer, status, reject_reason, raw, turn_id, created_at FROM plans WHERE incident_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1`,
    [incidentId],
  );
  const row = rows[0];
  if (row === undefined) return null;
  const raw = facts(row.raw) ?? {};
  return {
    id: row.id,
    producer: row.producer,
    use: row.turn_id === null ? null : spendOf((await modelUsesOf(sql, incidentId)).get(row.turn_id)),
    status: row.status,
    reason: row.reject_reason ?? text(raw.reason),
    message: text(raw.message),
    commands: list(raw.commands).map((command) => text(command) ?? ''),
    createdAt: iso(row.created_at),
  };
}

/** Keeps the order of the rows within each group. */
export function grouped<Row, Item>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  itemOf: (row: Row) => Item,
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key) ?? [];
    group.push(itemOf(row));
    groups.set(key, group);
  }
  return groups;
}
