/** Counts the streams that each account holds open on this replica. */
export interface Places {
  /** Takes one of the account's places; the returned function gives it back. Undefined when there is none left. */
  takePlace(subject: string, max: number): (() => void) | undefined;
  openStreams(): number;
}

export function createPlaces(): Places {
  const places = new Map<string, number>();
  return {
    openStreams: () => [...places.values()].reduce((sum, count) => sum + count, 0),
    takePlace(subject, max) {
      const taken = places.get(subject) ?? 0;
      if (taken >= max) return undefined;
      places.set(subject, taken + 1);
      let given = false;
      return () => {
        if (given) return;
        given = true;
        const left = (places.get(subject) ?? 1) - 1;
        if (left <= 0) places.delete(subject);
        else places.set(subject, left);
      };
    },
  };
}
