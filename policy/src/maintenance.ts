import type { MaintenanceWindow } from './maintenance-schema.ts';
import { matchesNamespace } from './policy-file.ts';

const MINUTE = 60_000;

/** Name of the first window that covers the namespace at an instant. */
export function windowAt(windows: readonly MaintenanceWindow[], namespace: string, now: Date): string | undefined {
  return windows.find(
    (window) =>
      window.namespaces.some((pattern) => pattern === '*' || matchesNamespace(pattern, namespace)) &&
      covers(window, now),
  )?.name;
}

function covers(window: MaintenanceWindow, now: Date): boolean {
  if (window.kind === 'once') return now >= window.from && now < window.to;
  // Asks the zone's own calendar about each possible beginning, so that a change of the clocks in the night shifts nothing.
  const [hour = 0, minute = 0] = window.from.split(':').map(Number);
  const format = calendarOf(window.zone);
  for (let back = 0; back < window.lasts; back += MINUTE) {
    const local = localTime(new Date(now.getTime() - back), format);
    if (local.hour === hour && local.minute === minute && (window.days as readonly string[]).includes(local.day))
      return true;
  }
  return false;
}

function calendarOf(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
}

function localTime(
  at: Date,
  format: Intl.DateTimeFormat,
): { readonly day: string; readonly hour: number; readonly minute: number } {
  const parts = new Map(format.formatToParts(at).map((part) => [part.type, part.value]));
  return {
    day: (parts.get('weekday') ?? '').toLowerCase(),
    hour: Number(parts.get('hour')),
    minute: Number(parts.get('minute')),
  };
}
