import type { Sql } from '@hephaisto/core/ports/database';
import { cleanJsonText } from '@hephaisto/core/signal/clean-text';
import { BudgetUsedUp, InvestigationStopped } from './end.ts';
import type { RawBytes } from './raw-bytes.ts';

/** The investigation whose journal is written, and the epoch under which it is. */
export interface JournalOwner {
  readonly investigationId: string;
  readonly incidentId: string;
  readonly cluster: string;
  readonly attempt: number;
  readonly epoch: number;
}

export interface OpenedStep {
  readonly id: string;
  readonly ordinal: number;
}

/**
 * Takes one step of the budget and writes the row that says what is about to be read. The row lock on the investigation makes two calls at the
 * same time take two different steps, and only one of them the last.
 */
export async function openStep(
  tx: Sql,
  owner: JournalOwner,
  step: {
    readonly id: string;
    readonly tool: string;
    readonly args: unknown;
    readonly status: 'running' | 'denied' | 'error';
  },
): Promise<OpenedStep> {
  const [taken] = await tx.query<{ ordinal: number; steps_left: boolean; incident_state: string; in_time: boolean }>(
    `UPDATE investigations n SET steps_used = steps_used + CASE WHEN steps_used < budget_steps THEN 1 ELSE 0 END
       FROM (SELECT id, steps_used < budget_steps AS steps_left FROM investigations WHERE id = $1 FOR UPDATE) before, incidents i
      WHERE n.id = before.id AND i.id = n.incident_id AND n.state = 'Running'
     RETURNING n.steps_used AS ordinal, before.steps_left, i.state AS incident_state, n.deadline_at > app_now() AS in_time`,
    [owner.investigationId],
  );
  if (taken === undefined) throw new InvestigationStopped('gone from Running');
  if (taken.incident_state !== 'Investigating') throw new InvestigationStopped(taken.incident_state);
  if (!taken.steps_left) throw new BudgetUsedUp('steps', `all ${taken.ordinal} steps of the investigation are used`);
  if (!taken.in_time) throw new BudgetUsedUp('time', 'the time of the investigation is used up');
  await tx.execute(
    `INSERT INTO steps (id, cluster, investigation_id, attempt, epoch, ordinal, tool_call_id, tool_name, args, effect, status, started_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, 'read', $10, app_now())`,
    [
      step.id,
      owner.cluster,
      owner.investigationId,
      owner.attempt,
      owner.epoch,
      taken.ordinal,
      `${owner.attempt}.${taken.ordinal}`,
      step.tool,
      cleanJsonText(step.args),
      step.status,
    ],
  );
  return { id: step.id, ordinal: taken.ordinal };
}

export interface StepResult {
  readonly status: 'ok' | 'error' | 'denied' | 'timeout';
  readonly text: string;
  readonly sha256: string;
  readonly truncated: boolean;
  readonly tainted: boolean;
  readonly errorKind?: string;
  readonly rawBytes?: number;
}

/** Completes a step that is under way; a step is completed once. */
export async function closeStep(tx: Sql, stepId: string, result: StepResult): Promise<void> {
  const changed = await tx.execute(
    `UPDATE steps SET status = $2, result_text = $3, result_sha256 = $4, truncated = $5, tainted = $6, error_kind = $7, raw_bytes = $8,
       finished_at = app_now()
     WHERE id = $1 AND finished_at IS NULL`,
    [
      stepId,
      result.status,
      result.text,
      result.sha256,
      result.truncated,
      result.tainted,
      result.errorKind ?? null,
      result.rawBytes ?? null,
    ],
  );
  if (changed !== 1) throw new Error(`expected step \`${stepId}\` to be under way, found it completed or gone`);
}

export async function insertBlob(tx: Sql, id: string, stepId: string, raw: RawBytes): Promise<void> {
  await tx.execute(
    `INSERT INTO evidence_blobs (id, step_id, sha256, content, encoding, content_type, byte_size) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [id, stepId, raw.sha256, raw.content, raw.encoding, raw.contentType, raw.byteSize],
  );
}
