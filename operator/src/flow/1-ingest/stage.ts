import { StoreUnavailable } from '@hephaisto/core/ports/database';
import type { Sha256Hex } from '@hephaisto/core/signal/fingerprint';
import { recordSightings } from '../signal-log/record-signals.ts';
import type { Sighting } from '../signal-log/sighting.ts';
import type { Stage, StageDeps } from '../stage.ts';
import { createBatch, type ExpandedBody, isLarge } from './batch.ts';
import { type AlertReading, expandBody } from './expand-body.ts';
import { claimIntake, type PendingIntake, pendingIntake, poisonIntake, settleIntake } from './intake-rows.ts';
import { recordInParts } from './record-in-parts.ts';
import type { OwnerLookup } from './resolve-owner.ts';
import type { FindWorkloadsBehind } from './workloads-behind.ts';

export interface IngestStageConfig extends AlertReading {
  /** Tries before a body is put aside as poison. */
  readonly attempts: number;
}

/** `isAlone` false: another replica holds some of the bodies. */
interface Recorded {
  readonly moved: number;
  readonly isAlone: boolean;
}

type Read =
  | { readonly kind: 'read'; readonly body: ExpandedBody }
  /** `moved` is 1 when the body is put aside. */
  | { readonly kind: 'failed'; readonly moved: number };

/** Turns bodies as received into signals, in the order of their arrival. */
export function createIngestStage(
  deps: StageDeps & {
    readonly owners: OwnerLookup;
    readonly behind?: FindWorkloadsBehind;
    readonly sha256: Sha256Hex;
  },
  config: IngestStageConfig,
): Stage {
  /** The cluster is asked before the transaction opens: a slow API server must not hold database locks. */
  async function expandOrFail(row: PendingIntake): Promise<Read> {
    const work = async () => ({ id: row.id, ...(await expandBody(deps, config, row.body)) });
    try {
      const origin = { parent: row.traceparent ?? undefined };
      return { kind: 'read', body: await deps.tracer.span('hephaisto.ingest', {}, work, origin) };
    } catch (error: unknown) {
      return { kind: 'failed', moved: await failed(row.id, error) };
    }
  }

  function count(sightings: readonly Sighting[]): void {
    for (const { observation } of sightings)
      deps.metrics.count('signals_total', { source: observation.source, kind: observation.kind });
  }

  async function recordLarge(body: ExpandedBody): Promise<Recorded> {
    const isOurs = await recordInParts(deps, body, count);
    return { moved: isOurs ? 1 : 0, isAlone: isOurs };
  }

  /** All of the bodies or none; those that another replica has taken meanwhile are left to it. */
  async function record(bodies: readonly ExpandedBody[]): Promise<Recorded> {
    const settled = await deps.db.transaction(async (tx) => {
      const ours = await claimIntake(tx, bodies);
      const sightings = ours.flatMap(({ id, sightings }) => sightings.map((each) => ({ ...each, intake: id })));
      const recorded = await recordSightings(tx, deps, sightings);
      await settleIntake(
        tx,
        ours.map(({ id, outcome }) => ({ id, outcome: { ...outcome, inserted: 0, repeated: 0, ...recorded.get(id) } })),
      );
      return { bodies: ours.length, sightings };
    });
    await deps.faults.hit('ingest:expanded');
    count(settled.sightings);
    return { moved: settled.bodies, isAlone: settled.bodies === bodies.length };
  }

  /** When the bodies together are refused, each is tried alone, so that only the one at fault is counted as failed. */
  async function recordOrFail(bodies: readonly ExpandedBody[]): Promise<Recorded> {
    const [first, ...others] = bodies;
    if (first === undefined) return { moved: 0, isAlone: true };
    try {
      return await (others.length === 0 && isLarge(first) ? recordLarge(first) : record(bodies));
    } catch (error: unknown) {
      if (others.length === 0) return { moved: await failed(first.id, error), isAlone: true };
      // An answer may be about the size of them all, such as a statement that took too long; silence is about the database.
      if (error instanceof StoreUnavailable && error.sqlstate === undefined) throw error;
    }
    let moved = 0;
    for (const body of bodies) {
      const recorded = await recordOrFail([body]);
      moved += recorded.moved;
      if (!recorded.isAlone) return { moved, isAlone: false };
    }
    return { moved, isAlone: true };
  }

  /** 1 when the body is put aside. */
  async function failed(id: number, error: unknown): Promise<number> {
    // A database that is away says nothing about the body; anything else will probably happen again.
    if (error instanceof StoreUnavailable) throw error;
    const poisoned = await poisonIntake(deps, id, config.attempts, error);
    deps.log[poisoned ? 'error' : 'warn']('webhook body could not be expanded', { intake: id, poisoned, error });
    deps.metrics.count('stage_errors_total', { stage: 'ingest' });
    return poisoned ? 1 : 0;
  }

  return {
    name: 'ingest',
    pollMs: 1_000,
    async pass(signal) {
      let moved = 0;
      let batch = createBatch();
      for (const row of await pendingIntake(deps.db, 20)) {
        if (signal.aborted) break;
        let read = await expandOrFail(row);
        if (read.kind === 'read' && !batch.add(read.body)) {
          const recorded = await recordOrFail(batch.bodies);
          moved += recorded.moved;
          // What comes next speaks of what somebody else is about to write: read now, it would be read without it.
          if (!recorded.isAlone) return moved;
          batch = createBatch();
          read = await expandOrFail(row);
          if (read.kind === 'read') batch.add(read.body);
        }
        if (read.kind === 'failed') moved += read.moved;
        if (!batch.isFull()) continue;
        const recorded = await recordOrFail(batch.bodies);
        moved += recorded.moved;
        if (!recorded.isAlone) return moved;
        batch = createBatch();
      }
      return moved + (await recordOrFail(batch.bodies)).moved;
    },
  };
}
