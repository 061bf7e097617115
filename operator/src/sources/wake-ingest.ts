import type { Database } from '@hephaisto/core/ports/database';
import { nudge } from '../flow/stage.ts';

/** Whether bodies came while a nudge was under way, by database. */
const underWay = new WeakMap<Database, { again: boolean }>();

/**
 * Wakes the ingest stage, with at most one nudge under way: under load one stands for all bodies that came meanwhile. A notification in
 * each insert would make every commit wait for every other on a server. Nobody waits for it and nothing is lost with it.
 */
export function wakeIngest(db: Database): void {
  const running = underWay.get(db);
  if (running !== undefined) {
    running.again = true;
    return;
  }
  const state = { again: false };
  underWay.set(db, state);
  void nudge(db, 'ingest')
    .catch(() => undefined)
    .then(() => {
      underWay.delete(db);
      if (state.again) wakeIngest(db);
    });
}
