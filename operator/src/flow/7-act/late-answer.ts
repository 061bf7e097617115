import type { Sql } from '@hephaisto/core/ports/database';
import { LeaseLost } from '@hephaisto/core/ports/leases';
import { ActionMoved } from '../../act/action-row.ts';
import { auditAction } from '../../act/audit.ts';
import type { ActingDeps } from '../../act/deps.ts';
import { BY_ACTOR, type TypedAction } from './endings.ts';

const LATE =
  'the call took effect after it had been read back: its process was held up, or the call was on its way for long';

/**
 * Commits what a good answer means. Where that comes too late, because the process was held up between its last look at the lease and the
 * call, and another one has read back meanwhile, the answer itself is still written down: no precondition can refuse a write whose target
 * has not moved, and a record that says "not applied" of a change that stands is the worse lie. It moves nothing and sends nothing.
 */
export async function settleAnswered(
  deps: ActingDeps,
  action: TypedAction,
  attemptId: string,
  settle: () => Promise<void>,
): Promise<void> {
  try {
    await settle();
  } catch (error: unknown) {
    if (error instanceof LeaseLost || error instanceof ActionMoved) await noteLate(deps, action, attemptId);
    throw error;
  }
}

async function noteLate(deps: ActingDeps, action: TypedAction, attemptId: string): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await tx.query('SELECT 1 FROM incidents WHERE id = $1 FOR UPDATE', [action.incidentId]);
    await noteAppliedLate(tx, deps, action, attemptId);
  });
  await deps.faults.hit('act:answered-late');
  deps.log.warn(LATE, { action: action.id, attempt: attemptId });
}

/** Records that a call took effect after all. The caller holds the incident's row. */
export async function noteAppliedLate(
  tx: Sql,
  deps: Pick<ActingDeps, 'incidents'>,
  action: TypedAction,
  attemptId: string,
): Promise<void> {
  const [before] = await tx.query<{ readback: string | null }>(
    'SELECT readback FROM action_attempts WHERE id = $1 FOR UPDATE',
    [attemptId],
  );
  await tx.execute(
    `UPDATE action_attempts SET response = coalesce(response, '{}'::jsonb) || '{"late":"applied"}',
       readback = CASE WHEN readback IS NULL THEN NULL ELSE 'applied' END
     WHERE id = $1 AND (outcome IN ('started', 'unknown') OR readback = 'not_applied')`,
    [attemptId],
  );
  if (before === undefined || before.readback === null || before.readback === 'applied') return;
  await deps.incidents.note(tx, {
    ...BY_ACTOR,
    incidentId: action.incidentId,
    kind: 'note',
    reason: 'applied_late',
    data: { action: action.id, attempt: attemptId, text: LATE },
  });
  await auditAction(tx, action, 'action.execute', BY_ACTOR, { outcome: 'applied_late', attempt: attemptId });
}

/** Whether the process that made the call has meanwhile heard that it took effect. Read in the transaction that settles a readback. */
export async function wasAnsweredLate(tx: Sql, attemptId: string): Promise<boolean> {
  const [row] = await tx.query<{ late: string | null }>(
    `SELECT response ->> 'late' AS late FROM action_attempts WHERE id = $1`,
    [attemptId],
  );
  return row?.late === 'applied';
}
