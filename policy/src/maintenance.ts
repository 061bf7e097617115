import { Temporal } from 'temporal-polyfill';
import { DAYS, type MaintenanceWindow } from './maintenance-schema.ts';
import { matchesNamespace } from './namespaces.ts';

/** A window lasts a day at most; where the clocks skip an hour, it may reach into the day after the next. */
const DAYS_BACK = [0, 1, 2];

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
  const nowMs = now.getTime();
  const today = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(window.zone).toPlainDate();
  return DAYS_BACK.some((days) => {
    const date = today.subtract({ days });
    const day = DAYS[date.dayOfWeek % DAYS.length];
    if (day === undefined || !window.days.includes(day)) return false;
    const beginsMs = beginningOn(date, window);
    return nowMs >= beginsMs && nowMs < beginsMs + window.lasts;
  });
}

/**
 * The one instant at which the window begins on a day of its zone. A time that the clocks skip is moved forward by the skipped hour, and of a time that
 * they repeat the first is taken. Trying each minute for the time of day was rejected: a skipped time never comes, so the window never opened.
 */
function beginningOn(
  date: Temporal.PlainDate,
  { from, zone }: MaintenanceWindow & { readonly kind: 'weekly' },
): number {
  return date.toPlainDateTime(from).toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds;
}
