import type { Expanded } from './expand-body.ts';

/** A body as received, read into sightings. */
export interface ExpandedBody extends Expanded {
  /** Of its intake row. */
  readonly id: number;
}

/** Few enough to be written in a fraction of a second. */
export const SIGHTINGS_PER_TRANSACTION = 500;

/** Whether the body is written in several transactions, and by itself. */
export function isLarge(body: Expanded): boolean {
  return body.sightings.length > SIGHTINGS_PER_TRANSACTION;
}

/** Bodies that are written in one transaction. */
export interface Batch {
  readonly bodies: readonly ExpandedBody[];
  /** Enough for one transaction. */
  isFull(): boolean;
  /** False when the body has to wait until those before it are written, and be read anew then. */
  add(body: ExpandedBody): boolean;
}

/**
 * Bodies of which none says anything about another: they share no condition, whose end in one and start in the next are two changes, and no
 * pod, whose owner is remembered from the earlier. Writing them together is then the same as writing them one after another.
 */
export function createBatch(): Batch {
  const bodies: ExpandedBody[] = [];
  const named = new Set<string>();
  let sightings = 0;
  return {
    bodies,
    isFull: () => sightings >= SIGHTINGS_PER_TRANSACTION,
    add(body) {
      const names = namesIn(body);
      if (isLarge(body) && bodies.length > 0) return false;
      if (names.some((name) => named.has(name))) return false;
      for (const name of names) named.add(name);
      bodies.push(body);
      sightings += body.sightings.length;
      return true;
    },
  };
}

function namesIn({ sightings }: ExpandedBody): readonly string[] {
  return sightings.flatMap(({ observation: { cluster, source, externalKey, namespace, podName } }) => [
    JSON.stringify(['condition', cluster, source, externalKey]),
    ...(podName === undefined ? [] : [JSON.stringify(['pod', cluster, namespace, podName])]),
  ]);
}
