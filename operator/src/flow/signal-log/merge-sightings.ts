import type { Sighting } from './sighting.ts';

export interface MergedSighting {
  readonly sighting: Sighting;
  /** How many sightings it stands for. */
  readonly count: number;
}

/**
 * One sighting a condition, in order of first appearance: one statement may write a row only once. An end among them wins over any
 * firing, as it does between deliveries.
 */
export function mergeSightings(sightings: readonly Sighting[]): readonly MergedSighting[] {
  const merged = new Map<string, { sighting: Sighting; count: number }>();
  for (const sighting of sightings) {
    const { cluster, source, externalKey } = sighting.observation;
    const key = JSON.stringify([cluster, source, externalKey]);
    const known = merged.get(key);
    if (known === undefined) {
      merged.set(key, { sighting, count: 1 });
      continue;
    }
    known.count += 1;
    const ended = known.sighting.observation.status === 'resolved' && known.sighting.observation.startsAt !== undefined;
    if (!ended) known.sighting = sighting;
  }
  return [...merged.values()];
}
