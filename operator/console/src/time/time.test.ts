import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countdownText, durationText, secondsLeft, shortDuration } from './duration.ts';
import { clockText, fullStamp, stampText, zoneName } from './instant.ts';

describe('lengths of time', () => {
  const cases: readonly (readonly [number, string, string, string])[] = [
    [-5, '0 s', '0 s', '00:00'],
    [0, '0 s', '0 s', '00:00'],
    [59.9, '59 s', '59 s', '01:00'],
    [60, '1 min', '1 min', '01:00'],
    [61, '1 min 1 s', '1 min', '01:01'],
    [660, '11 min', '11 min', '11:00'],
    [661, '11 min', '11 min', '11:01'],
    [3_600, '1 h', '1 h', '1:00:00'],
    [14_700, '4 h 5 min', '4 h', '4:05:00'],
    [90_000, '1 d 1 h', '25 h', '25:00:00'],
    [183_600, '2 d 3 h', '2 d', '51:00:00'],
  ];
  for (const [seconds, long, short, left] of cases) {
    it(`says ${seconds} s as ${long}, ${short} and ${left}`, () => {
      assert.equal(durationText(seconds), long);
      assert.equal(shortDuration(seconds), short);
      assert.equal(countdownText(seconds), left);
    });
  }
  it('never shows time that is over as left, and a settled thing has none', () => {
    assert.equal(secondsLeft(10, 4_000), 6);
    assert.equal(secondsLeft(10, 40_000), 0);
    assert.equal(secondsLeft(null, 4_000), null);
  });
});

describe('moments', () => {
  const at = new Date('2026-03-29T01:12:48Z');
  const berlin = { zone: 'local', local: 'Europe/Berlin' } as const;
  it('are shown in the reader’s zone over a change to summer time', () => {
    assert.equal(clockText(at, berlin), '03:12:48');
    assert.equal(clockText(new Date('2026-03-29T00:59:59Z'), berlin), '01:59:59');
  });
  it('are shown in UTC when asked, with the zone named', () => {
    assert.equal(clockText(at, { zone: 'utc' }), '01:12:48');
    assert.equal(zoneName(at, { zone: 'utc' }), 'UTC');
    assert.notEqual(zoneName(at, berlin), 'UTC');
  });
  it('carry the day only when it is another than today', () => {
    assert.equal(stampText(at, new Date('2026-03-29T20:00:00Z'), berlin), '03:12:48');
    assert.equal(stampText(at, new Date('2026-03-30T20:00:00Z'), berlin), '29 Mar 03:12:48');
  });
  it('have both zones at hand', () => {
    const full = fullStamp(at, 'Europe/Berlin');
    assert.match(full, /03:12:48/);
    assert.match(full, /01:12:48 UTC/);
    assert.match(full, /2026-03-29T01:12:48.000Z/);
  });
});
