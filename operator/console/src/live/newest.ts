/** Anything that grows a version with each change. */
export interface Versioned {
  readonly id: string;
  readonly version: number;
}

/** The newer of two readings of one thing. A late answer to an early question must not bring an old state back. */
export function newest<T extends Versioned>(held: T | undefined, arrived: T): T {
  return held !== undefined && held.id === arrived.id && held.version > arrived.version ? held : arrived;
}

/** The rows that arrived, each in its newest known reading. */
export function newestOfEach<T extends Versioned>(held: readonly T[], arrived: readonly T[]): T[] {
  const known = new Map(held.map((row) => [row.id, row]));
  return arrived.map((row) => newest(known.get(row.id), row));
}

/** Pages with every row replaced for which something newer arrived. Order and number of rows stay: what a reader looks at must not move. */
export function refreshRows<T extends Versioned, P extends { readonly items: readonly T[] }>(
  pages: readonly P[],
  arrived: readonly T[],
): P[] {
  const fresh = new Map(arrived.map((row) => [row.id, row]));
  return pages.map((page) => {
    let changed = false;
    const items = page.items.map((row) => {
      const update = fresh.get(row.id);
      if (update === undefined || update.version <= row.version) return row;
      changed = true;
      return update;
    });
    return changed ? { ...page, items } : page;
  });
}
