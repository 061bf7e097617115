import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { inQuotes } from './quote.ts';

test('outside words in a sentence are one line, bounded, and free of control characters, whatever they were', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 4_000 }), (text) => {
      const quoted = inQuotes(text);
      assert.ok(quoted.length <= 243, String(quoted.length));
      assert.doesNotMatch(quoted, /[\p{Cc}\p{Cf}\n]/u);
    }),
  );
});

test('the sentence brings its own full stop', () => {
  assert.equal(inQuotes('0/3 nodes are available.'), '“0/3 nodes are available”');
});
