/** What is on the screen, and what waits to be. Both are ids, in the order of the screen. */
export interface SettledRows {
  readonly shown: readonly string[];
  /** Ids that arrived since and are not shown yet. */
  readonly waiting: readonly string[];
  /** Shown ids that no longer belong here; they stay, greyed, until the reader asks for the new rows. */
  readonly gone: readonly string[];
}

export const NO_ROWS: SettledRows = { shown: [], waiting: [], gone: [] };

/** Takes the present ids in. An empty screen shows them at once; otherwise nothing moves and the new ones queue. */
export function settle(rows: SettledRows, present: readonly string[]): SettledRows {
  if (rows.shown.length === 0) return present.length === 0 ? rows : { shown: present, waiting: [], gone: [] };
  const shown = new Set(rows.shown);
  const now = new Set(present);
  const waiting = present.filter((id) => !shown.has(id));
  const gone = rows.shown.filter((id) => !now.has(id));
  if (gone.length === rows.shown.length && present.length > 0) return { shown: present, waiting: [], gone: [] };
  return sameIds(waiting, rows.waiting) && sameIds(gone, rows.gone) ? rows : { shown: rows.shown, waiting, gone };
}

/** The reader asked for them: everything present, in its own order. */
export function takeWaiting(present: readonly string[]): SettledRows {
  return { shown: present, waiting: [], gone: [] };
}

function sameIds(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index]);
}
