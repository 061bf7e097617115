import { StoreUnavailable } from '@hephaisto/core/ports/database';
import type { Sha256Hex } from '@hephaisto/core/signal/fingerprint';
import { createAttempts, UNREADABLE, unreadableMessage } from '../attempt-log/attempts.ts';
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
  const attempts = createAttempts(deps, 'body');

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

  /** Up to the first body that has to be read alone, or that another replica reads: they are read in the order of their arrival. */
  async function takePending(begun: Set<string>, signal: AbortSignal): Promise<number> {
    const rows = await pendingIntake(deps.db, 20);
    const standing = await attempts.standing(rows.map(({ id }) => String(id)));
    const of = ({ id }: PendingIntake) => standing.get(String(id)) ?? 'free';
    const first = rows[0];
    if (first === undefined) return 0;
    const state = of(first);
    switch (state) {
      case 'busy':
        return 0;
      case 'unreadable':
        return setAside(first);
      case 'suspect':
        return takeRows([first], begun, signal);
      case 'free': {
        const other = rows.findIndex((row) => of(row) !== 'free');
        return takeRows(other < 0 ? rows : rows.slice(0, other), begun, signal);
      }
      default: {
        const unknown: never = state;
        return unknown;
      }
    }
  }

  async function setAside({ id }: PendingIntake): Promise<number> {
    await poisonIntake(deps, id, 0, new Error(unreadableMessage('body', 'reading this body')), UNREADABLE);
    await attempts.end([String(id)]);
    deps.log.error('webhook body ended its readers and is put aside', { intake: id });
    return 1;
  }

  async function takeRows(rows: readonly PendingIntake[], begun: Set<string>, signal: AbortSignal): Promise<number> {
    const keys = rows.map(({ id }) => String(id));
    await attempts.begin(keys);
    for (const key of keys) begun.add(key);
    const moved = await readRows(rows, signal);
    if (!signal.aborted) {
      await attempts.end(keys);
      begun.clear();
    }
    return moved;
  }

  async function readRows(rows: readonly PendingIntake[], signal: AbortSignal): Promise<number> {
    let moved = 0;
    let batch = createBatch();
    for (const row of rows) {
      if (signal.aborted) break;
      let read = await expandOrFail(row);
      if (read.kind === 'read' && !batch.add(read.body)) {
        const recorded = await recordOrFail(batch.bodies);
        moved += recorded.moved;
        // Another replica holds an earlier body. Stop here: its write is not committed yet, and what follows may be about the same alerts.
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
  }

  return {
    name: 'ingest',
    pollMs: 1_000,
    async pass(signal) {
      const begun = new Set<string>();
      try {
        return await takePending(begun, signal);
      } finally {
        // What was not come to is left to the next pass, here or elsewhere; its reader lives.
        if (begun.size > 0) await attempts.release([...begun]).catch(() => undefined);
      }
    },
  };
}
