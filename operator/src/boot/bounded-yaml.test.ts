import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringify } from 'yaml';
import { parseBoundedYaml } from './bounded-yaml.ts';

test('YAML that nests too deep is refused by its depth, not by the stack, in every notation', () => {
  const deep = 20_000;
  const texts = [
    '['.repeat(deep),
    `${'['.repeat(deep)}${']'.repeat(deep)}`,
    '{a: '.repeat(deep),
    '- '.repeat(deep),
    '? '.repeat(deep),
    Array.from({ length: 2_000 }, (_, level) => `${' '.repeat(level)}a:`).join('\n'),
  ];
  for (const text of texts)
    assert.throws(() => parseBoundedYaml(text), /^Error: expected YAML nested at most 100 deep, found more$/);
});

test('ordinary files are read as before, and a key twice or an alias is refused', () => {
  const value = { a: [{ b: { c: ['d'] } }], text: 'two\nlines', list: Array.from({ length: 2_000 }, (_, n) => n) };
  assert.deepEqual(parseBoundedYaml(stringify(value)), value);
  assert.deepEqual(parseBoundedYaml(JSON.stringify(value)), value);
  assert.throws(() => parseBoundedYaml('a: 1\na: 2'));
  assert.throws(() => parseBoundedYaml('a: &x [1]\nb: *x'));
});
