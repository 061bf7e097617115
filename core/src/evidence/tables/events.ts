import type { EventFact } from '../../facts/facts.ts';
import { PRODUCT } from '../../names.ts';
import { instant, oneLine } from './text.ts';

const SHOWN_EVENTS = 60;

/** Events that tell of the object or of what bears its name before a dash, newest last; our own are left out, since we are no witness. */
export function eventsAbout(events: readonly EventFact[], name: string | undefined): readonly EventFact[] {
  return events
    .filter((event) => !event.reporter.startsWith(PRODUCT))
    .filter(
      (event) => name === undefined || event.regarding.name === name || event.regarding.name.startsWith(`${name}-`),
    )
    .sort((a, b) => (a.lastSeen?.getTime() ?? 0) - (b.lastSeen?.getTime() ?? 0));
}

export function renderEvents(title: string, events: readonly EventFact[]): string {
  // Warnings are what is looked for; of the others the newest are kept.
  const warnings = events.filter((event) => event.type !== 'Normal').slice(-SHOWN_EVENTS);
  const normal = events.filter((event) => event.type === 'Normal').slice(-Math.max(0, SHOWN_EVENTS - warnings.length));
  const omitted = events.length - warnings.length - normal.length;
  return [
    `${title}: ${events.length} events`,
    ...warnings.map(eventLine),
    ...normal.map(eventLine),
    ...(omitted > 0 ? [`[${omitted} older events omitted]`] : []),
  ].join('\n');
}

export function eventLine(event: EventFact): string {
  return `${event.type} ${event.reason} ${event.regarding.kind}/${event.regarding.name} x${event.count}, last ${instant(event.lastSeen)}: ${oneLine(event.message, 1_000)}`;
}
