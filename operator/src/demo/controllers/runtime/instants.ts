/**
 * When something that carries a whole-second timestamp was first seen, to the millisecond. Under compressed time a second of
 * rounding is worth many simulated ones, enough to miss or to invent a deadline.
 */
export interface Instants {
  /** Milliseconds since the epoch at which `stamp` became the value of `slot`; the stamp itself when it is older than its first sight. */
  since(slot: string, stamp: string, now: Date): number;
  /** Forgets every slot that begins with the prefix. */
  forget(prefix: string): void;
}

const ROUNDING = 1_500;

export function createInstants(): Instants {
  const seen = new Map<string, { readonly stamp: string; readonly at: number }>();
  return {
    since: (slot, stamp, now) => {
      const known = seen.get(slot);
      if (known?.stamp === stamp) return known.at;
      const written = Date.parse(stamp);
      const at = now.getTime() - written <= ROUNDING ? now.getTime() : written;
      seen.set(slot, { stamp, at });
      return at;
    },
    forget: (prefix) => {
      for (const slot of seen.keys()) if (slot.startsWith(prefix)) seen.delete(slot);
    },
  };
}
