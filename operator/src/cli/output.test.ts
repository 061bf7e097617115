import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import { renderObject, renderRows } from './output.ts';

const HOSTILE = [
  '\u009b31m',
  'a\u202eb',
  '\u2066x\u2069',
  'x\u0085y',
  '\u007f',
  '\u{e0041}',
  '\ufeff',
  '\u001b[2J',
  'key: \u200f# c',
];
const RAW = /(?!\n)[\p{Cc}\p{Cf}]/u;

test('neither JSON nor YAML hands a terminal a control or a mark that turns the line around', () => {
  for (const format of ['json', 'yaml'] as const)
    for (const text of HOSTILE) {
      const out = renderObject({ [text]: [text, { deep: `two\nlines ${text}` }] }, format);
      assert.doesNotMatch(out, RAW, JSON.stringify([format, text]));
      assert.doesNotMatch(renderRows([{ text }], { columns: [], name: () => '' }, format, true), RAW);
    }
});

test('what is escaped reads back as it was', () => {
  const text = fc.string({ unit: 'binary', maxLength: 40 });
  fc.assert(
    fc.property(fc.dictionary(text, fc.oneof(text, fc.constantFrom(...HOSTILE))), (value) => {
      assert.deepEqual(JSON.parse(renderObject(value, 'json')), JSON.parse(JSON.stringify(value)));
    }),
  );
  for (const hostile of HOSTILE)
    assert.deepEqual(parse(renderObject({ [hostile]: `${hostile}\nand more` }, 'yaml')), {
      [hostile]: `${hostile}\nand more`,
    });
});
