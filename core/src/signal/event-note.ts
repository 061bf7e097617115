import type { EventFact } from '../facts/facts.ts';
import type { BenignNote } from './symptom.ts';

export interface EventSurroundings {
  /** By the event's own time. */
  readonly ageMs: number;
  readonly oldAfterMs: number;
  readonly ours: boolean;
  /** False for a pod that the watch does not know (any more). */
  readonly objectPresent: boolean;
}

/**
 * Whether a Warning needs no further thought: it is ours, about the past, or about something that is gone. `wait`: look again once
 * the object itself has had time to show what is wrong with it.
 */
export type EventVerdict = { readonly kind: 'note'; readonly note: BenignNote } | { readonly kind: 'wait' };

export function judgeEvent(event: EventFact, around: EventSurroundings): EventVerdict {
  const about = `${event.regarding.kind} ${event.regarding.name}`;
  if (around.ours) return note('own-event', `we said ${event.reason} about ${about} ourselves`);
  if (around.ageMs > around.oldAfterMs)
    return note('old-warning', `${event.reason} about ${about} is an old warning: ${event.message}`);
  if (!around.objectPresent) return note('object-gone', `${event.reason} is about ${about}, which no longer exists`);
  return { kind: 'wait' };
}

export function noteWithoutFault(event: EventFact): BenignNote {
  const message = `${event.reason} about ${event.regarding.kind} ${event.regarding.name}, which shows no fault: ${event.message}`;
  return { kind: 'Unknown', reason: 'warning-without-fault', message };
}

function note(reason: BenignNote['reason'], message: string): EventVerdict {
  return { kind: 'note', note: { kind: 'Unknown', reason, message } };
}
