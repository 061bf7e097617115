import type { ActionState } from '@hephaisto/core/action/machine';
import type { RollbackSubReason } from '@hephaisto/core/incident/machine';
import type { Sql } from '@hephaisto/core/ports/database';
import type { Authorship } from '@hephaisto/core/ports/incident-log';
import { cleanJsonText } from '@hephaisto/core/signal/clean-text';
import { type ActionRow, moveAction } from './action-row.ts';
import { auditAction } from './audit.ts';
import type { ActingDeps } from './deps.ts';
import { clearUndoRetry } from './undo-retry.ts';

/** Ends the undo, whatever became of it, and gives the incident to a person. */
export async function endUndo(
  tx: Sql,
  deps: Pick<ActingDeps, 'incidents'>,
  by: Authorship,
  action: ActionRow,
  end: {
    readonly from: ActionState;
    /** Absent where the action stays as it is: nothing was sent. */
    readonly to?: ActionState;
    readonly subReason: RollbackSubReason;
    readonly reason: string;
    readonly message: string;
  },
): Promise<void> {
  const undone = { undo: { result: end.subReason, reason: end.reason, message: end.message } };
  if (end.to === undefined)
    await tx.execute(`UPDATE actions SET post_state = coalesce(post_state, '{}'::jsonb) || $2::jsonb WHERE id = $1`, [
      action.id,
      cleanJsonText(undone),
    ]);
  else await moveAction(tx, action.id, end.from, end.to, { postState: undone });
  await clearUndoRetry(tx, action.id);
  await auditAction(tx, action, 'action.undo', by, { result: end.subReason, reason: end.reason });
  await deps.incidents.transition(tx, {
    ...by,
    incidentId: action.incidentId,
    edge: 'I15',
    reason: end.reason,
    escalationReason: 'VerificationFailed',
    rollbackSubReason: end.subReason,
    data: { action: action.id, message: end.message },
  });
}
