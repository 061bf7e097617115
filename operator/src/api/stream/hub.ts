import type { Timers } from '@hephaisto/core/ports/clock';
import type { Database } from '@hephaisto/core/ports/database';
import type { Logger } from '@hephaisto/core/ports/telemetry';
import type { Readable } from '@hephaisto/core/principal/access';
import type { CheckAccess, Credential } from './access-check.ts';
import type { StreamCursor } from './cursor.ts';
import { eventsAfter, hasHeldBack, headCursor, type StreamEvent } from './events.ts';
import { createPlaces, type Places } from './places.ts';

/** Channels whose notifications wake the hub: the incident log's, the switches', and that of grants, sessions and tokens. */
const EVENT_CHANNEL = 'hephaisto_event';
export const SWITCH_CHANNEL = 'hephaisto_switch';
const ACCESS_CHANNEL = 'hephaisto_access';

const BATCH = 200;
/** How soon to read again for events that are committed but still held back. */
const HELD_BACK_MS = 100;
/** Should a notification ever get lost, this is how late an event is. */
const POLL_MS = 5_000;
/** Sessions and tokens expire without a notification; a stream outlives its right by no more than this. */
const ACCESS_CHECK_MS = 1_000;

/** One open stream. */
export interface Member {
  readonly credential: Credential;
  /** Committed events in their order. Some may come that the member has read by itself. */
  onEvents(events: readonly StreamEvent[]): void;
  onSwitch(): void;
  /** Namespaces that may be read from now on; `undefined` when the right to listen is gone. */
  onAccess(readable: Readable | undefined): void;
  /** Events may be missing from here on, so the stream must end and its client resume. */
  onFailure(): void;
}

/**
 * Reads the log once for all streams of this replica. Each event is read and written as text once, and the rights of all members are checked
 * by one statement, since reading and checking in each stream would cost every event as many times as people listen.
 */
export interface StreamHub extends Places {
  /**
   * Adds the member and resolves once every event that is not yet visible to the caller will be handed over. The returned function removes it.
   */
  join(member: Member): Promise<() => void>;
  close(): Promise<void>;
}

export interface HubDeps {
  readonly db: Database;
  readonly timers: Timers;
  readonly log: Logger;
  readonly checkAccess: CheckAccess;
}

export async function createStreamHub(deps: HubDeps): Promise<StreamHub> {
  const { db, timers } = deps;
  const members = new Set<Member>();
  const timersOff = new Set<() => void>();
  let cursor: StreamCursor | undefined;
  let eventsDue = false;
  let accessDue = false;
  let working = false;
  let heldBack = false;

  async function work(): Promise<void> {
    if (working) return;
    working = true;
    try {
      while (members.size > 0 && (eventsDue || accessDue)) {
        await checkWhenDue();
        if (eventsDue) await readEvents();
      }
    } catch (error: unknown) {
      deps.log.warn('live streams ended', { error });
      for (const member of [...members]) member.onFailure();
    } finally {
      working = false;
    }
  }

  async function checkWhenDue(): Promise<void> {
    if (!accessDue) return;
    accessDue = false;
    const checked = [...members];
    const access = await deps.checkAccess(checked.map(({ credential }) => credential));
    for (const [index, member] of checked.entries()) member.onAccess(access[index]);
  }

  async function readEvents(): Promise<void> {
    eventsDue = false;
    // The member that is joining sets the place and wakes again; a place of our own could lie behind events that it has not read.
    if (cursor === undefined) return;
    let from = cursor;
    for (let more = true; more && members.size > 0; ) {
      const batch = await eventsAfter(db, from, BATCH);
      more = batch.length === BATCH;
      from = batch.at(-1)?.cursor ?? from;
      // Before anything is handed over: a right that ended before the event was committed must not hear of it.
      await checkWhenDue();
      if (batch.length > 0) for (const member of [...members]) member.onEvents(batch);
      cursor = from;
    }
    if (members.size === 0 || heldBack || !(await hasHeldBack(db, from))) return;
    // One timer however often the hub is woken meanwhile: a long transaction may hold back many events.
    heldBack = true;
    later(HELD_BACK_MS, () => {
      heldBack = false;
      wakeEvents();
    });
  }

  function wakeEvents(): void {
    eventsDue = true;
    void work();
  }

  function wakeAccess(): void {
    accessDue = true;
    void work();
  }

  function later(milliseconds: number, run: () => void): void {
    const cancel = timers.after(milliseconds, () => {
      timersOff.delete(cancel);
      run();
    });
    timersOff.add(cancel);
  }

  function every(milliseconds: number, run: () => void): void {
    later(milliseconds, () => {
      if (members.size === 0) return;
      run();
      every(milliseconds, run);
    });
  }

  function stopTimers(): void {
    for (const cancel of timersOff) cancel();
    timersOff.clear();
    heldBack = false;
  }

  const unlisten = [
    await db.listen(EVENT_CHANNEL, wakeEvents),
    await db.listen(ACCESS_CHANNEL, wakeAccess),
    await db.listen(SWITCH_CHANNEL, () => {
      for (const member of [...members]) member.onSwitch();
    }),
  ];
  return {
    ...createPlaces(),
    async join(member) {
      if (members.size === 0) {
        cursor = undefined;
        stopTimers();
        every(POLL_MS, wakeEvents);
        every(ACCESS_CHECK_MS, wakeAccess);
      }
      members.add(member);
      const leave = (): void => {
        if (members.delete(member) && members.size === 0) stopTimers();
      };
      if (cursor !== undefined) return leave;
      try {
        const head = await headCursor(db);
        // Never forward from a place that somebody has set meanwhile: other members rely on what lies between.
        cursor ??= head;
        wakeEvents();
        return leave;
      } catch (error: unknown) {
        leave();
        throw error;
      }
    },
    async close() {
      members.clear();
      stopTimers();
      for (const end of unlisten) await end();
    },
  };
}
