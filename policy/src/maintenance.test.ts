import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { windowAt } from './maintenance.ts';
import { maintenanceWindow } from './maintenance-schema.ts';

const DAY_MS = 86_400_000;
const FIRST_DAY_MS = Date.UTC(2026, 0, 1);
const DAY_COUNT = 730;

/** Zones whose clocks skip an hour at night, an hour at midnight, half an hour, or nothing, north and south of the equator. */
const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'America/Santiago',
  'Africa/Cairo',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
] as const;

/** What the clocks of a zone show, as milliseconds since 1970 of a zone without offset. Asked of `Intl`, not of the library under test. */
function clockOf(zone: string): (atMs: number) => number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    hourCycle: 'h23',
  });
  return (atMs) => {
    const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
    const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? Number.NaN;
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'));
  };
}

/** The first instant at which the clocks show a time, or the instant that it is moved to where they skip it. */
function beginning(shown: (atMs: number) => number, localMs: number): number {
  const before = shown(localMs - DAY_MS) - (localMs - DAY_MS);
  const after = shown(localMs + DAY_MS) - (localMs + DAY_MS);
  const found = [localMs - before, localMs - after].filter((atMs) => shown(atMs) === localMs);
  return found.length === 0 ? localMs - before : Math.min(...found);
}

function daily(zone: string, minuteOfDay: number, lastsMinutes: number) {
  const from = `${two(Math.floor(minuteOfDay / 60))}:${two(minuteOfDay % 60)}`;
  const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
  const window = { kind: 'weekly', name: 'w', namespaces: ['*'], days, from, lasts: `${lastsMinutes}m`, zone };
  const parsed = maintenanceWindow.parse(window);
  return (atMs: number): boolean => windowAt([parsed], 'shop', new Date(atMs)) !== undefined;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** On each day of two years: closed before it begins, open for exactly its time, closed after it. */
function holdsEveryDay(zone: string, minuteOfDay: number, lastsMinutes: number): void {
  const isOpen = daily(zone, minuteOfDay, lastsMinutes);
  const shown = clockOf(zone);
  const lastsMs = lastsMinutes * 60_000;
  for (let n = 0; n < DAY_COUNT; n += 1) {
    const localMs = FIRST_DAY_MS + n * DAY_MS + minuteOfDay * 60_000;
    const beginsMs = beginning(shown, localMs);
    const seen = [beginsMs - 1, beginsMs, beginsMs + lastsMs - 1, beginsMs + lastsMs].map(isOpen);
    assert.deepEqual(seen, [false, true, true, false], `${zone} ${new Date(localMs).toISOString()}`);
  }
}

describe('maintenance windows where the clocks change', () => {
  for (const zone of ZONES)
    it(`on every day of two years in ${zone} a window covers exactly its duration, once`, () => {
      for (const minuteOfDay of [0, 90, 135, 150]) holdsEveryDay(zone, minuteOfDay, 60);
      const minute = fc.integer({ min: 0, max: 1439 });
      const lasts = fc.integer({ min: 1, max: 12 * 60 });
      fc.assert(
        fc.property(minute, lasts, (from, minutes) => holdsEveryDay(zone, from, minutes)),
        { numRuns: 2 },
      );
    });

  it('a window that begins in the hour that the clocks skip opens after it, and is closed a day later', () => {
    const isOpen = daily('Europe/Berlin', 150, 60);
    const at = (text: string) => isOpen(new Date(text).getTime());
    assert.deepEqual(
      ['2026-03-29T00:59:59Z', '2026-03-29T01:30:00Z', '2026-03-29T02:29:59Z', '2026-03-29T02:30:00Z'].map(at),
      [false, true, true, false],
    );
  });

  it('a day long window that loses an hour ends in the day after the next', () => {
    const window = { kind: 'weekly', name: 'w', namespaces: ['*'], days: ['sat'], from: '23:59', lasts: '1d' };
    const parsed = maintenanceWindow.parse({ ...window, zone: 'Europe/Berlin' });
    const at = (text: string) => windowAt([parsed], 'shop', new Date(text));
    assert.deepEqual(['2026-03-29T22:58:59Z', '2026-03-29T22:59:00Z'].map(at), ['w', undefined]);
  });

  it('a hundred windows of zones are asked about in less processor time than one was before', () => {
    const window = { kind: 'weekly', name: 'w', namespaces: ['*'], days: ['sun'], from: '03:00', lasts: '1d' };
    const windows = Array.from({ length: 100 }, (_, n) =>
      maintenanceWindow.parse({ ...window, zone: ZONES[n % ZONES.length] }),
    );
    const now = new Date('2026-03-25T12:00:00Z');
    windowAt(windows, 'shop', now);
    const used = process.cpuUsage();
    for (let n = 0; n < 10; n += 1) windowAt(windows, 'shop', now);
    const { user, system } = process.cpuUsage(used);
    assert.ok((user + system) / 10_000 < 40, `${(user + system) / 10_000} ms for a hundred windows`);
  });
});
