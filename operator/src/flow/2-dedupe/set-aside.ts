import { type Database, StoreRejected } from '@hephaisto/core/ports/database';
import type { FaultPoints } from '@hephaisto/core/ports/fault-points';
import { cleanText, clip } from '@hephaisto/core/signal/clean-text';

/**
 * SQLSTATE classes that speak of the values of one row: data, constraints, limits, an invariant's own word. A missing privilege or table is
 * every signal's trouble and ends when somebody mends it: setting signals aside for that would lose all of them.
 */
const ABOUT_THE_ROW: readonly string[] = ['22', '23', '54', 'P0'];

/** Whether the database will refuse this one signal for ever and no other for it. */
export function isRefusedForGood(error: unknown): error is StoreRejected {
  return error instanceof StoreRejected && ABOUT_THE_ROW.includes(error.sqlstate.slice(0, 2));
}

/** Takes a signal out of the queue, with why. False when somebody settled it meanwhile. */
export async function setAside(
  { db, faults }: { readonly db: Database; readonly faults: FaultPoints },
  id: string,
  error: StoreRejected,
): Promise<boolean> {
  const changed = await db.execute(
    `UPDATE signals SET disposition = 'poison', disposition_reason = $2 WHERE id = $1 AND disposition = 'pending'`,
    [id, clip(cleanText(`refused-by-database: ${error.message}`), 1_000)],
  );
  await faults.hit('dedupe:set-aside');
  return changed > 0;
}
