import type { StateSpan } from './incident.ts';

interface Happening {
  readonly kind: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly at: string;
}

/**
 * How long each state lasted, from the log alone. `events` in the order of the log; the last span is open unless its state ends the
 * incident. A step from a state to itself opens no new span.
 */
export function timeInStates(events: readonly Happening[], now: string, terminal: readonly string[]): StateSpan[] {
  const entries = events.filter((event) => event.kind === 'transition' && event.to !== null && event.from !== event.to);
  return entries.map((event, index) => {
    const state = event.to ?? '';
    const next = entries[index + 1];
    const end = next?.at ?? (terminal.includes(state) ? event.at : now);
    const ended = next !== undefined || terminal.includes(state);
    const seconds = Math.max(0, Math.floor((Date.parse(end) - Date.parse(event.at)) / 1000));
    return { state, from: event.at, to: ended ? end : null, seconds };
  });
}
