import type { Sql } from '@hephaisto/core/ports/database';
import type { ActionRow } from './action-row.ts';
import type { ActingDeps } from './deps.ts';
import type { HeldLease } from './under-lease.ts';

/**
 * One transaction of an action's life: fenced by the lease, and with the incident's row taken first, which is the order of everybody who
 * takes rows of an incident and of its actions.
 */
export async function commit<T>(
  deps: Pick<ActingDeps, 'db' | 'requireEpoch'>,
  held: HeldLease,
  action: Pick<ActionRow, 'incidentId'>,
  work: (tx: Sql) => Promise<T>,
): Promise<T> {
  return await deps.db.transaction(async (tx) => {
    await deps.requireEpoch(tx, held.lease);
    await tx.query('SELECT 1 FROM incidents WHERE id = $1 FOR UPDATE', [action.incidentId]);
    return await work(tx);
  });
}
