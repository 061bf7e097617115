import { createRedactor } from '@hephaisto/core/evidence/redact';
import { storableText } from '@hephaisto/core/evidence/utf8';
import type { Gap } from '@hephaisto/core/finding/finding';
import type { GroundedFinding } from '@hephaisto/core/finding/ground';
import type { InvestigationState, ModelNote } from '@hephaisto/core/investigation/investigator';
import type { Sql } from '@hephaisto/core/ports/database';
import { cleanJsonText } from '@hephaisto/core/signal/clean-text';
import type { JournalOwner } from '../../investigate/step-rows.ts';
import { nudge } from '../stage.ts';
import { endTurn } from '../turn-log/turn-rows.ts';
import { endInvestigation } from './begin.ts';

/** What a look leaves behind, its quotations checked. */
export interface Kept {
  readonly findings: readonly GroundedFinding[];
  readonly gaps: readonly Gap[];
  readonly model: ModelNote | undefined;
}

export interface Ended extends Kept {
  readonly state: Extract<InvestigationState, 'Concluded' | 'NoConclusion' | 'BudgetExhausted'>;
  readonly reason: string;
}

/**
 * Stores what an investigation ended with, dropped claims too, and wakes the planner. An incident that moved on meanwhile makes it Stopped;
 * its steps stay. Returns the state it ended in.
 */
export async function concludeInvestigation(
  tx: Sql,
  newId: () => string,
  owner: JournalOwner,
  ended: Ended,
): Promise<InvestigationState> {
  const [row] = await tx.query<{ incident_state: string; turn_id: string | null }>(
    `SELECT i.state AS incident_state, n.turn_id FROM incidents i JOIN investigations n ON n.incident_id = i.id
      WHERE n.id = $1 AND n.state = 'Running' FOR UPDATE`,
    [owner.investigationId],
  );
  if (row === undefined) return 'Stopped';
  if (row.incident_state !== 'Investigating') {
    await endInvestigation(tx, owner.investigationId, 'Stopped', `incident ${row.incident_state}`);
    return 'Stopped';
  }
  const primary = await insertFindings(tx, newId, owner.investigationId, ended.findings);
  await tx.execute(
    `UPDATE investigations SET state = $2, end_reason = $3, gaps = $4::jsonb, confidence = $5, model_note = $6::jsonb, concluded_at = app_now(),
       ended_at = app_now() WHERE id = $1`,
    [
      owner.investigationId,
      ended.state,
      ended.reason,
      cleanJsonText(ended.gaps),
      ended.findings.find((finding) => finding.primary)?.confidence ?? null,
      ended.model === undefined ? null : cleanJsonText(ended.model),
    ],
  );
  if (row.turn_id !== null)
    await endTurn(tx, row.turn_id, { status: 'DONE', reason: ended.model?.reason ?? ended.reason });
  await tx.execute('UPDATE incidents SET primary_finding_id = $2 WHERE id = $1', [owner.incidentId, primary ?? null]);
  await nudge(tx, 'plan');
  return ended.state;
}

/**
 * What stood when a look was stopped stays with it, for the person who has the incident now. It is no conclusion: nothing is planned from it.
 */
export async function keepOfStopped(tx: Sql, newId: () => string, owner: JournalOwner, kept: Kept): Promise<void> {
  const bare = await tx.execute(
    `UPDATE investigations n SET gaps = $2::jsonb, model_note = $3::jsonb WHERE id = $1 AND state = 'Stopped'
       AND NOT EXISTS (SELECT 1 FROM findings f WHERE f.investigation_id = n.id)`,
    [owner.investigationId, cleanJsonText(kept.gaps), kept.model === undefined ? null : cleanJsonText(kept.model)],
  );
  if (bare === 1) await insertFindings(tx, newId, owner.investigationId, kept.findings);
}

/** Returns the id of the primary one, if there is one. */
async function insertFindings(
  tx: Sql,
  newId: () => string,
  investigationId: string,
  findings: readonly GroundedFinding[],
): Promise<string | undefined> {
  let primary: string | undefined;
  for (const finding of findings) {
    const id = await insertFinding(tx, newId, investigationId, finding);
    if (finding.primary) primary = id;
  }
  return primary;
}

async function insertFinding(
  tx: Sql,
  newId: () => string,
  investigationId: string,
  finding: GroundedFinding,
): Promise<string> {
  const id = newId();
  // Rules quote what was redacted; a model may still have put a secret together in its own words.
  const { statement, cause } = createRedactor().deep({
    statement: storableText(finding.statement),
    cause: finding.cause,
  });
  await tx.execute(
    `INSERT INTO findings (id, investigation_id, ordinal, category, statement, certainty, rule, cause, confidence, is_primary, status, drop_reason)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9, $10, $11, $12)`,
    [
      id,
      investigationId,
      finding.ordinal,
      finding.category,
      statement,
      finding.certainty,
      finding.rule ?? null,
      cleanJsonText(cause),
      finding.confidence ?? null,
      finding.primary,
      finding.status,
      finding.dropReason ?? null,
    ],
  );
  for (const item of finding.evidence) {
    const known = item.kind === 'accepted' || item.reason === 'not_substring' || item.reason === 'too_short';
    await tx.execute(
      `INSERT INTO finding_evidence (id, finding_id, step_id, cited_step, excerpt, accepted, reject_reason)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [
        newId(),
        id,
        known ? item.stepId : null,
        storableText(item.stepId),
        storableText(item.excerpt),
        item.kind === 'accepted',
        item.kind === 'rejected' ? item.reason : null,
      ],
    );
  }
  return id;
}
