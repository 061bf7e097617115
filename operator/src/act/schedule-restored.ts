import type { Sql } from '@hephaisto/core/ports/database';
import { nudge } from '../flow/stage.ts';
import type { ActingDeps } from './deps.ts';
import { clearUndoRetry } from './undo-retry.ts';

/** Writes down when it is looked whether the prior values stand again. */
export async function scheduleRestored(
  tx: Sql,
  deps: Pick<ActingDeps, 'settings'>,
  actionId: string,
  attempt: 1 | 2 | 3,
): Promise<void> {
  await clearUndoRetry(tx, actionId);
  await tx.execute(
    `INSERT INTO verifications (action_id, subject, attempt, question, due_at)
     VALUES ($1, 'rollback', $2, 'restored', app_now() + $3 * interval '1 millisecond') ON CONFLICT DO NOTHING`,
    [actionId, attempt, deps.settings.restoredMs[attempt - 1] ?? 0],
  );
  await nudge(tx, 'verify');
}
