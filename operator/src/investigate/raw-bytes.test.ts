import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finish } from '@hephaisto/core/steps';
import fc from 'fast-check';
import { capText } from './cap-text.ts';
import { jsonInSteps } from './json-in-steps.ts';
import { decodeRaw, encodeRaw, sha256Hex } from './raw-bytes.ts';

const atOnce = (): Promise<void> => Promise.resolve();

test('the text of an answer is the one that JSON.stringify makes, so that its digest stays the same', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.equal(finish(jsonInSteps(value)).join(''), JSON.stringify(value, null, 1));
    }),
  );
});

test('a large answer is written, hashed and read in turns, so that it does not hold the event loop', async () => {
  const items = Array.from({ length: 20_000 }, (_, n) => ({ n, text: 'x'.repeat(100), at: new Date(n) }));
  let turns = 0;
  const counted = (): Promise<void> => {
    turns += 1;
    return Promise.resolve();
  };
  const bytes = await encodeRaw(items, 'application/json', counted);
  assert.ok(turns >= 60, `${turns} turns to write`);
  turns = 0;
  assert.deepEqual(await decodeRaw(bytes, counted), items);
  assert.ok(turns >= 20, `${turns} turns to read`);
});

test('what is kept comes back the same, dates as dates and texts that look like dates as texts', async () => {
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
  await fc.assert(
    fc.asyncProperty(value, async (raw) => {
      const bytes = await encodeRaw(raw, 'application/json', atOnce);
      assert.deepEqual(await decodeRaw(bytes, atOnce), raw);
    }),
  );
  const long = 'ä'.repeat(10_000);
  const bytes = await encodeRaw(long, 'text/plain; charset=utf-8', atOnce);
  assert.equal(bytes.encoding, 'gzip');
  assert.equal(bytes.byteSize, 20_000);
  assert.equal(bytes.sha256, sha256Hex(long));
  assert.equal(await decodeRaw(bytes, atOnce), long);
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
