import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeValue, parserOf } from './values.ts';

const TEXT_ARRAY = 1009;

test('an array of any texts survives the way to a literal and back, but for characters that no column can hold', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.string({ unit: 'binary' }))), (items) => {
      const kept = items.map((item) => (item === null ? null : item.replaceAll('\u0000', '').toWellFormed()));
      assert.deepEqual(parserOf(TEXT_ARRAY)(encodeValue(items) ?? ''), kept);
    }),
  );
});

test('a text and a JSON value come out without NUL and halves of characters', () => {
  assert.equal(encodeValue('a\u0000b\ud800'), 'ab\ufffd');
  assert.equal(encodeValue({ 'k\u0000': ['\ud800', '\\u0000'] }), '{"k":["\ufffd","\\\\u0000"]}');
});

test('bytes survive the way to a literal and back', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      assert.deepEqual(parserOf(17)(encodeValue(bytes) ?? ''), bytes);
    }),
  );
});

const ENCODED: Readonly<Record<string, readonly [unknown, string | null]>> = {
  'undefined is null': [undefined, null],
  'a plain object is JSON': [{ a: [1, 'x'] }, '{"a":[1,"x"]}'],
  'a date is an instant in UTC': [new Date(0), '1970-01-01T00:00:00.000Z'],
  'an empty array is an empty PostgreSQL array': [[], '{}'],
  'a bigint keeps every digit': [9007199254740993n, '9007199254740993'],
  'false is f': [false, 'f'],
};
for (const [sentence, [value, expected]] of Object.entries(ENCODED)) {
  test(sentence, () => assert.equal(encodeValue(value), expected));
}

const PARSED: Readonly<Record<string, readonly [number, string, unknown]>> = {
  'a bigint is a number while it is safe': [20, '42', 42],
  'a bigint beyond that stays text': [20, '9007199254740993', '9007199254740993'],
  'a timestamp keeps its milliseconds': [1184, '2026-01-02 03:04:05.678901+00', new Date('2026-01-02T03:04:05.678Z')],
  'numeric stays text, since a number would round it': [1700, '0.10', '0.10'],
  'jsonb is parsed': [3802, '{"a":null}', { a: null }],
  'an unquoted NULL in an array is null, a quoted one is a word': [TEXT_ARRAY, '{NULL,"NULL"}', [null, 'NULL']],
};
for (const [sentence, [oid, text, expected]] of Object.entries(PARSED)) {
  test(sentence, () => assert.deepEqual(parserOf(oid)(text), expected));
}
