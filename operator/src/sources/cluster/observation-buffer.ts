import { mergeSightings } from '../../flow/signal-log/merge-sightings.ts';
import type { Sighting } from '../../flow/signal-log/sighting.ts';

/** What the watch has seen and the database does not hold yet, in order. Bounded, whatever the database does. */
export interface ObservationBuffer {
  add(sighting: Sighting): void;
  /** The oldest, at most so many; they are gone from the buffer. */
  take(most: number): readonly Sighting[];
  /** Back to the front, since they could not be written. */
  putBack(sightings: readonly Sighting[]): void;
  readonly size: number;
}

/** About twenty megabytes. */
export const MAX_BUFFERED_OBSERVATIONS = 20_000;

/**
 * When it is full, observations of one condition become one, and then notes about what needs nobody are dropped. `onFull` is called when that
 * does not suffice: conditions must not be dropped, so the watch has to start again from a fresh list.
 */
export function createObservationBuffer(
  onFull: () => void,
  onDropped: (count: number) => void,
  most = MAX_BUFFERED_OBSERVATIONS,
): ObservationBuffer {
  let waiting: Sighting[] = [];
  // Room that a squeeze must leave, or each further observation would squeeze again.
  const enough = Math.floor(most * 0.75);

  function squeeze(): void {
    waiting = mergeSightings(waiting).map(({ sighting }) => sighting);
    if (waiting.length <= enough) return;
    const conditions = waiting.filter(({ settled }) => settled === undefined);
    onDropped(waiting.length - conditions.length);
    waiting = conditions;
    if (waiting.length <= enough) return;
    waiting = [];
    onFull();
  }

  function bound(): void {
    if (waiting.length > most) squeeze();
  }

  return {
    add(sighting) {
      waiting.push(sighting);
      bound();
    },
    take: (count) => waiting.splice(0, count),
    putBack(sightings) {
      waiting = [...sightings, ...waiting];
      bound();
    },
    get size() {
      return waiting.length;
    },
  };
}
