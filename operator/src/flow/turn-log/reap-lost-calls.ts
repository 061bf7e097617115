import type { Sql } from '@hephaisto/core/ports/database';
import type { FaultPoints } from '@hephaisto/core/ports/fault-points';
import type { Logger } from '@hephaisto/core/ports/telemetry';

/**
 * Ends the calls whose owner is gone: nobody will hear their answer any more, and they count as if they had cost all they could. A call whose
 * lease still holds is somebody's. Returns how many there were.
 */
export async function reapLostCalls(deps: {
  readonly db: Sql;
  readonly faults: FaultPoints;
  readonly log: Logger;
}): Promise<number> {
  const calls = await deps.db.execute(
    `UPDATE llm_usage u SET outcome = 'lost', cost_usd = reserved_usd, ended_at = app_now()
      WHERE u.outcome = 'started'
        AND NOT EXISTS (SELECT 1 FROM leases l WHERE l.run_id = u.run_id AND l.epoch = u.epoch AND l.released_at IS NULL
          AND l.expires_at > app_now())`,
  );
  await deps.faults.hit('model:calls-reaped');
  if (calls > 0) deps.log.warn('calls of a model were lost with their owner', { calls });
  return calls;
}
