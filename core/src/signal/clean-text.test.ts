import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { cleanJsonText, cleanText } from './clean-text.ts';

const texts = fc
  .array(fc.constantFrom('\u0000', '\ud800', '\udfff', '\\', '\\u0000', 'ud800', '"', 'a', '\u0001', '😀'))
  .map((parts) => parts.join(''));

describe('JSON that the database can keep', () => {
  it('has no NUL and no half characters left in any key or value', () => {
    fc.assert(
      fc.property(texts, texts, (key, value) => {
        const [[kept, held] = []] = Object.entries(JSON.parse(cleanJsonText({ [`k${key}`]: [value] })) as object);
        for (const text of [kept, held[0]]) assert.ok(text.isWellFormed() && !text.includes('\u0000'));
      }),
    );
  });

  it('is unchanged where all of it can be kept, backslashes before a u included', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const given = { [cleanText(text)]: [cleanText(text), { deep: cleanText(text) }] };
        assert.equal(cleanJsonText(given), JSON.stringify(given));
      }),
    );
  });
});
