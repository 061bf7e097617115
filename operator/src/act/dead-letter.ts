import { StoreUnavailable } from '@hephaisto/core/ports/database';
import { cleanText, clip } from '@hephaisto/core/signal/clean-text';
import { ActionMoved, lockAction } from './action-row.ts';
import { commit } from './commit.ts';
import type { ActingDeps } from './deps.ts';
import { endStuck } from './end-stuck.ts';
import type { HeldLease } from './under-lease.ts';

/** Of `actions a`: neither a dead letter nor in the pause after a failure. */
export const IS_WORKABLE = 'a.dead_letter_at IS NULL AND (a.retry_at IS NULL OR a.retry_at <= app_now())';

type Deps = Pick<ActingDeps, 'db' | 'incidents' | 'ids' | 'faults' | 'log' | 'metrics' | 'settings'>;

/**
 * Counts that work on an action threw, and postpones it. Failures long ago do not count. At the bound the action ends as a dead letter and its
 * incident goes to a person; where the database refuses even that, it is tried again with the longest pause, and the health page says so.
 */
export async function countFailure(deps: Deps, actionId: string, error: unknown): Promise<void> {
  const message = clip(cleanText(error instanceof Error ? error.message : String(error)), 500) || 'unknown error';
  const { first, longest, most } = deps.settings.failures;
  const [row] = await deps.db.query<{ failures: number }>(
    `UPDATE actions SET failures = n.failures, failure = $2,
       retry_at = app_now() + least($4::float8, $3::float8 * power(2, least(n.failures - 1, 20))) * interval '1 millisecond'
     FROM (SELECT id, CASE WHEN retry_at > app_now() - interval '10 minutes' THEN failures + 1 ELSE 1 END AS failures
             FROM actions WHERE id = $1) n
     WHERE actions.id = n.id AND dead_letter_at IS NULL RETURNING n.failures`,
    [actionId, message, first, longest],
  );
  await deps.faults.hit('act:failure-counted');
  if (row === undefined || row.failures < most) return;
  if (!(await bury(deps, actionId, `gave up after ${row.failures} failures: ${message}`))) return;
  deps.metrics.count('dead_letters_total', { row: 'action' });
  deps.log.error('an action became a dead letter', { action_id: actionId, failures: row.failures });
}

async function bury(deps: Deps, actionId: string, message: string): Promise<boolean> {
  try {
    const ended = await deps.db.transaction(async (tx) => {
      await tx.query('SELECT 1 FROM incidents WHERE id = (SELECT incident_id FROM actions WHERE id = $1) FOR UPDATE', [
        actionId,
      ]);
      const action = await lockAction(tx, actionId);
      if (action === undefined) return false;
      await endStuck(tx, deps, action, { reason: 'dead_letter', message });
      await tx.execute('UPDATE actions SET dead_letter_at = app_now(), failure = $2 WHERE id = $1', [
        actionId,
        message,
      ]);
      return true;
    });
    await deps.faults.hit('act:dead-letter');
    return ended;
  } catch (error: unknown) {
    // Somebody else has moved it meanwhile, so it is not stuck.
    if (error instanceof ActionMoved) return false;
    if (error instanceof StoreUnavailable) throw error;
    deps.log.error('a dead letter could not be ended', { action_id: actionId, error });
    return false;
  }
}

/** Ends an action whose row is no request that this version understands. */
export async function endUnsupported(
  deps: Pick<ActingDeps, 'db' | 'requireEpoch' | 'incidents' | 'ids' | 'faults'>,
  held: HeldLease,
  actionId: string,
  incidentId: string,
): Promise<boolean> {
  const ended = await commit(deps, held, { incidentId }, async (tx) => {
    const action = await lockAction(tx, actionId);
    if (action === undefined || action.request !== undefined) return false;
    const message = action.unsupported ?? 'the stored row is no known action';
    return await endStuck(tx, deps, action, { reason: 'unsupported', message });
  });
  await deps.faults.hit('act:unsupported');
  return ended;
}
