/** How long ago, in kubectl's short form (`45s`, `5m30s`, `3h12m`, `2d4h`, `1y20d`); `<unknown>` without a time. */
export function age(since: unknown, now: Date): string {
  const then = typeof since === 'string' ? Date.parse(since) : Number.NaN;
  return Number.isNaN(then) ? '<unknown>' : shortDuration(now.getTime() - then);
}

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const YEAR = 365 * DAY;

/** Coarser the longer it is: seconds up to two minutes, minutes with seconds up to ten, and so on. */
export function shortDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 2 * MINUTE) return `${seconds}s`;
  if (seconds < 10 * MINUTE) return pair(seconds, MINUTE, 'm', 1, 's');
  if (seconds < 3 * HOUR) return `${Math.floor(seconds / MINUTE)}m`;
  if (seconds < 8 * HOUR) return pair(seconds, HOUR, 'h', MINUTE, 'm');
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)}h`;
  if (seconds < 8 * DAY) return pair(seconds, DAY, 'd', HOUR, 'h');
  if (seconds < 2 * YEAR) return `${Math.floor(seconds / DAY)}d`;
  if (seconds < 8 * YEAR) return pair(seconds, YEAR, 'y', DAY, 'd');
  return `${Math.floor(seconds / YEAR)}y`;
}

function pair(seconds: number, unit: number, unitName: string, smaller: number, smallerName: string): string {
  const rest = Math.floor((seconds % unit) / smaller);
  return `${Math.floor(seconds / unit)}${unitName}${rest > 0 ? `${rest}${smallerName}` : ''}`;
}
