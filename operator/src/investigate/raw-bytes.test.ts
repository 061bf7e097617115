import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { capText } from './cap-text.ts';
import { decodeRaw, encodeRaw, sha256Hex } from './raw-bytes.ts';

test('what is kept comes back the same, dates as dates and texts that look like dates as texts', () => {
  const value = fc.dictionary(
    fc.string().filter((key) => key !== '__proto__' && key !== '$date'),
    fc.oneof(
      fc.date({ noInvalidDate: true }),
      fc.string(),
      fc.constant('2026-01-01T00:00:00.000Z'),
      fc.integer(),
      fc.boolean(),
      fc.array(fc.date({ noInvalidDate: true })),
    ),
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(value, (raw) => {
      assert.deepEqual(decodeRaw(encodeRaw(raw, 'application/json')), raw);
    }),
  );
  const long = 'ä'.repeat(10_000);
  const bytes = encodeRaw(long, 'text/plain; charset=utf-8');
  assert.equal(bytes.encoding, 'gzip');
  assert.equal(bytes.byteSize, 20_000);
  assert.equal(bytes.sha256, sha256Hex(long));
  assert.equal(decodeRaw(bytes), long);
});

test('a capped text says how much is missing and is within its bytes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 80 }), { maxLength: 100 }),
      fc.integer({ min: 128, max: 2_000 }),
      (lines, max) => {
        const text = lines.join('\n');
        const capped = capText(text, max);
        assert.ok(Buffer.byteLength(capped.text) <= max);
        assert.equal(capped.truncated, Buffer.byteLength(text) > max);
        if (capped.truncated) assert.match(capped.text, /\[\d+ of \d+ bytes omitted\]$/);
        else assert.equal(capped.text, text);
      },
    ),
  );
});
