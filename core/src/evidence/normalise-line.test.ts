import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createLineNormaliser, normaliseLine } from './normalise-line.ts';

const FORMS: Readonly<Record<string, string>> = {
  'took 250ms, 1h2m3s and 5µs': 'took <*>, <*> and <*>',
  'from 10.0.0.1:8080 to fe80::1': 'from <*> to <*>',
  'id 6ba7b810-9dad-11d1-80b4-00c04fd430c8 of deadbeef': 'id <*> of <*>',
  'at 0x1F, not 0xzz': 'at <*>, not 0xzz',
  'a cafe, a feed, abc1, v1.2.3x': 'a cafe, a feed, abc1, v1.<*>.3x',
  'at 2026-01-01T12:34:56.789Z': 'at <*>-<*>-<*>',
  'Größe 7 🔥 é1': 'Größe <*> 🔥 é<*>',
  '': '',
};

for (const [line, form] of Object.entries(FORMS))
  test(`\`${line}\` becomes \`${form}\``, () => {
    assert.equal(normaliseLine(line), form);
  });

test('a line means the same wherever it stands in a text, and other texts have other hashes', () => {
  const word = fc.constantFrom('timeout', '12', '0xff', 'é', '5µs', ':', '-', '10.0.0.1', 'deadbeef', 'x', '\ud800');
  const line = fc.tuple(fc.array(word, { maxLength: 9 }), fc.constantFrom(1, 1, 1, 400)).map(([words, times]) => {
    return words.join(' ').repeat(times);
  });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), (lines) => {
      const text = lines.join('\n');
      const inText = createLineNormaliser();
      const alone = createLineNormaliser();
      const hashes = new Map<string, number>();
      let from = 0;
      for (const each of lines) {
        inText.run(text, from, from + each.length);
        alone.run(each, 0, each.length);
        assert.equal(inText.text(), alone.text());
        assert.equal(inText.hash, alone.hash);
        assert.equal(hashes.get(inText.text()) ?? inText.hash, inText.hash);
        hashes.set(inText.text(), inText.hash);
        from += each.length + 1;
      }
      assert.equal(new Set(hashes.values()).size, hashes.size);
    }),
  );
});
