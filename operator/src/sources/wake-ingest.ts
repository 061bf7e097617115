import type { Timers } from '@hephaisto/core/ports/clock';
import type { Database } from '@hephaisto/core/ports/database';
import { nudge } from '../flow/stage.ts';

/** Whether bodies came since the last nudge, by database. */
const underWay = new WeakMap<Database, { again: boolean }>();

/** Between two nudges. The first body wakes the stage at once; those right behind it wait this long at most, and are then read together. */
const APART_MS = 50;

/**
 * Wakes the ingest stage, a few times a second at most: under load one nudge stands for all bodies that came meanwhile. A notification in
 * each insert would make every commit wait for every other on a server, and one after each insert is as much work for it as the insert
 * itself. Nobody waits for it and nothing is lost with it.
 */
export function wakeIngest(db: Database, timers: Timers): void {
  const running = underWay.get(db);
  if (running !== undefined) {
    running.again = true;
    return;
  }
  const state = { again: false };
  underWay.set(db, state);
  void nudge(db, 'ingest')
    .then(() => timers.sleep(APART_MS))
    .catch(() => undefined)
    .then(() => {
      underWay.delete(db);
      if (state.again) wakeIngest(db, timers);
    });
}
