import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { duration, formatDuration, parseDuration } from './duration.ts';
import { formatSize, parseSize, size } from './size.ts';

const DURATIONS: Readonly<Record<string, readonly [string, number | undefined]>> = {
  'minutes are read as milliseconds': ['10m', 600_000],
  'days are read as milliseconds': ['2d', 172_800_000],
  'a bare number has no unit and is none': ['10', undefined],
  'a fraction is none': ['1.5s', undefined],
  'a negative length is none': ['-1s', undefined],
  'a length beyond exact numbers is none': ['999999999999999d', undefined],
};

for (const [sentence, [text, expected]] of Object.entries(DURATIONS)) {
  test(sentence, () => assert.equal(parseDuration(text), expected));
}

test('what is formatted reads back as the same length', () => {
  fc.assert(fc.property(fc.nat(), (ms) => parseDuration(formatDuration(ms)) === ms));
  fc.assert(fc.property(fc.nat(), (bytes) => parseSize(formatSize(bytes)) === bytes));
});

test('an absent duration takes its default, one out of bounds is refused with the bound', () => {
  const schema = duration('5s', { max: '1m' });
  assert.equal(schema.parse(undefined), 5_000);
  assert.match(schema.safeParse('2m').error?.issues[0]?.message ?? '', /at most 1m/);
  const bytes = size('4MiB', { min: '1KiB', max: '8MiB' });
  assert.equal(bytes.parse(undefined), 4 * 1024 * 1024);
  for (const wrong of ['4MB', '1B', '9MiB']) assert.equal(bytes.safeParse(wrong).success, false, wrong);
  assert.match(duration('5s').safeParse('4000d').error?.issues[0]?.message ?? '', /at most 3650d/);
});
