export type Zone = 'local' | 'utc';

interface Wanted {
  readonly zone: Zone;
  /** IANA name of the reader's zone; the browser's own when absent. */
  readonly local?: string;
}

const FORMATS = new Map<string, Intl.DateTimeFormat>();

function format(kind: 'time' | 'day' | 'zone', { zone, local }: Wanted): Intl.DateTimeFormat {
  const timeZone = zone === 'utc' ? 'UTC' : local;
  const key = `${kind} ${timeZone ?? ''}`;
  const known = FORMATS.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-GB', {
    ...(kind === 'day'
      ? { day: '2-digit', month: 'short' }
      : { hour: '2-digit', minute: '2-digit', second: '2-digit' }),
    ...(kind === 'zone' ? { timeZoneName: 'short' } : {}),
    hourCycle: 'h23',
    ...(timeZone === undefined ? {} : { timeZone }),
  });
  FORMATS.set(key, made);
  return made;
}

/** `03:12:48`. */
export function clockText(at: Date, wanted: Wanted): string {
  return format('time', wanted).format(at);
}

/** Short name of the zone at that moment, e.g. `CEST`, `GMT+2`; `UTC` for UTC. */
export function zoneName(at: Date, wanted: Wanted): string {
  if (wanted.zone === 'utc') return 'UTC';
  const part = format('zone', wanted)
    .formatToParts(at)
    .find((piece) => piece.type === 'timeZoneName');
  return part?.value ?? 'local';
}

/** `03:12:48`, with the day before it when it is not today's. */
export function stampText(at: Date, now: Date, wanted: Wanted): string {
  const day = format('day', wanted).format(at);
  const clock = clockText(at, wanted);
  return day === format('day', wanted).format(now) ? clock : `${day} ${clock}`;
}

/** Everything about a moment, for a tooltip: both zones and the instant as machines write it. */
export function fullStamp(at: Date, local?: string): string {
  const here: Wanted = local === undefined ? { zone: 'local' } : { zone: 'local', local };
  const said = (wanted: Wanted): string =>
    `${format('day', wanted).format(at)} ${clockText(at, wanted)} ${zoneName(at, wanted)}`;
  return `${said(here)}\n${said({ zone: 'utc' })}\n${at.toISOString()}`;
}
