import type { EventFact } from '@hephaisto/core/facts/facts';
import { PRODUCT } from '@hephaisto/core/names';
import { judgeEvent, noteWithoutFault } from '@hephaisto/core/signal/event-note';
import type { Ledger } from './ledger.ts';
import type { About } from './sighting-of.ts';

/**
 * Warnings. They open nothing: what is wrong shows on the object itself, sooner and in a form that also tells when it is over. Here they
 * are noted when nothing is wrong, so that nobody has to wonder whether a warning was seen.
 */
export interface EventDesk {
  event(event: EventFact): void;
  due(): void;
  nextDueMs(): number | undefined;
}

export interface EventDeskOptions {
  readonly ledger: Ledger;
  readonly nowMs: () => number;
  readonly warningMs: number;
  readonly oldWarningMs: number;
  /** What the event is about, whether that exists, and on which objects its fault would show. */
  readonly locate: (event: EventFact) => {
    readonly about: About;
    readonly present: boolean;
    readonly uids: readonly string[];
  };
}

/** Warnings waiting for their object to show a fault; in a storm of them the earliest are let go. */
const MOST_WAITING = 5_000;

export function createEventDesk(options: EventDeskOptions): EventDesk {
  const waiting = new Map<string, { readonly event: EventFact; readonly dueMs: number }>();

  function settle(event: EventFact): void {
    const { about, present, uids } = options.locate(event);
    // A fault was found on the object: then the warning is part of it and needs no word of its own.
    if (!present || uids.some((uid) => options.ledger.hasSymptom(uid))) return;
    options.ledger.note(about, noteWithoutFault(event), event.reason);
  }

  return {
    event(event) {
      if (event.type !== 'Warning') return;
      const { about, present } = options.locate(event);
      const ours = event.reporter === PRODUCT || event.reporter.startsWith(`${PRODUCT}/`);
      const ageMs = event.lastSeen === undefined ? 0 : options.nowMs() - event.lastSeen.getTime();
      const verdict = judgeEvent(event, { ageMs, oldAfterMs: options.oldWarningMs, ours, objectPresent: present });
      if (verdict.kind === 'note') {
        options.ledger.note(about, verdict.note, event.reason, ours);
        return;
      }
      if (waiting.has(event.uid)) return;
      waiting.set(event.uid, { event, dueMs: options.nowMs() + options.warningMs });
      if (waiting.size > MOST_WAITING) waiting.delete(waiting.keys().next().value ?? '');
    },
    due() {
      for (const [uid, { event, dueMs }] of waiting) {
        if (dueMs > options.nowMs()) continue;
        waiting.delete(uid);
        settle(event);
      }
    },
    nextDueMs() {
      const first = waiting.values().next();
      return first.done === true ? undefined : first.value.dueMs;
    },
  };
}
