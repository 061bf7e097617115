import type { KubeObject } from '../../cluster/object.ts';

/** Real milliseconds: how long a control plane keeps an Event is storage housekeeping, not a wait that a story compresses. */
export const EVENT_LIFETIME = 3_600_000;

/** The Events that were last written longer ago than they are kept. */
export function expiredEvents(events: readonly KubeObject[], now: Date): readonly KubeObject[] {
  return events.filter((event) => {
    const last = Math.max(...stampsOf(event).map((stamp) => Date.parse(stamp)));
    return now.getTime() - last > EVENT_LIFETIME;
  });
}

function stampsOf({ metadata, lastTimestamp, eventTime, series }: KubeObject): readonly string[] {
  const observed = (series as { readonly lastObservedTime?: unknown } | null | undefined)?.lastObservedTime;
  const stamps = [metadata.creationTimestamp, lastTimestamp, eventTime, observed];
  return stamps.filter((stamp): stamp is string => typeof stamp === 'string' && !Number.isNaN(Date.parse(stamp)));
}
