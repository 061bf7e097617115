import type { Sha256Hex } from '@hephaisto/core/signal/fingerprint';
import { indexedKey } from '@hephaisto/core/signal/indexed-text';
import { type RecordDeps, type Recorded, recordSightings } from '../signal-log/record-signals.ts';
import type { Sighting } from '../signal-log/sighting.ts';
import type { StageDeps } from '../stage.ts';
import { type ExpandedBody, SIGHTINGS_PER_TRANSACTION } from './batch.ts';
import { claimIntake, readProgress, saveProgress, settleIntake } from './intake-rows.ts';

/** A transaction that took longer makes the next one smaller. */
const TARGET_MS = 150;
const SMALLEST_PART = 50;

/**
 * Writes a large body in several short transactions, the last of which settles it. The intake row remembers how far they came, so that
 * whoever goes on, after a crash or on another replica, counts nothing twice. False when another replica holds the body.
 */
export async function recordInParts(
  deps: StageDeps & RecordDeps,
  body: ExpandedBody,
  onRecorded: (sightings: readonly Sighting[]) => void,
): Promise<boolean> {
  const sorted = sortByKey(body.sightings, deps.sha256);
  let size = SIGHTINGS_PER_TRANSACTION;
  for (;;) {
    const startedAt = deps.clock.monotonicMs();
    const part = await deps.db.transaction(async (tx) => {
      const [ours] = await claimIntake(tx, [body]);
      if (ours === undefined) return undefined;
      const known = await readProgress(tx, body.id);
      const from = known === undefined ? 0 : firstAfter(sorted, known.upTo);
      const to = endOfPart(sorted, from + size);
      const sightings = sorted.slice(from, to).map(({ sighting }) => ({ ...sighting, intake: body.id }));
      const recorded = (await recordSightings(tx, deps, sightings)).get(body.id);
      const sum = add(known, recorded);
      const upTo = sorted[to - 1]?.key;
      const isLast = to >= sorted.length || upTo === undefined;
      if (isLast) await settleIntake(tx, [{ id: body.id, outcome: { ...body.outcome, ...sum } }]);
      else await saveProgress(tx, body.id, { upTo, ...sum });
      return { sightings, isLast };
    });
    await deps.faults.hit('ingest:part-recorded');
    if (part === undefined) return false;
    onRecorded(part.sightings);
    if (part.isLast) return true;
    size = nextSize(size, deps.clock.monotonicMs() - startedAt);
  }
}

interface Keyed {
  readonly key: string;
  readonly sighting: Sighting;
}

function sortByKey(sightings: readonly Sighting[], sha256: Sha256Hex): readonly Keyed[] {
  return sightings
    .map((sighting) => ({ key: indexedKey(sighting.observation.externalKey, sha256), sighting }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

function firstAfter(sorted: readonly Keyed[], key: string): number {
  const index = sorted.findIndex((each) => each.key > key);
  return index === -1 ? sorted.length : index;
}

/** All sightings of one key belong to one part: the key is what the progress is remembered by. */
function endOfPart(sorted: readonly Keyed[], wanted: number): number {
  let end = Math.min(wanted, sorted.length);
  while (end < sorted.length && sorted[end]?.key === sorted[end - 1]?.key) end += 1;
  return end;
}

function add(known: Recorded | undefined, more: Recorded | undefined): Recorded {
  return {
    inserted: (known?.inserted ?? 0) + (more?.inserted ?? 0),
    repeated: (known?.repeated ?? 0) + (more?.repeated ?? 0),
  };
}

/** By time, not by count: how much fits a moment depends on the machine and on what else it does. */
function nextSize(size: number, tookMs: number): number {
  if (tookMs > TARGET_MS) return Math.max(SMALLEST_PART, Math.floor(size / 2));
  return tookMs < TARGET_MS / 2 ? Math.min(SIGHTINGS_PER_TRANSACTION, size * 2) : size;
}
