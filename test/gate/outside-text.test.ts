import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeOutsideText } from './outside-text.ts';
import { readSources } from './sources.ts';

const rules = (path: string, text: string) => judgeOutsideText([{ path, text }]).map(({ rule }) => rule);

describe('outside-text gate', () => {
  it('finds nothing in the repository', () => {
    const found = judgeOutsideText(readSources(['core', 'policy', 'verifier', 'operator']));
    assert.equal(found.map(({ path, rule, message }) => `${path}: ${rule}: ${message}`).join('\n'), '');
  });

  const PATTERNS = ['/[\\w.-]*token/', '/[.,;]+$/', '/(a+)+b/', '/^(?:\\d+\\.?\\d*)x/'];
  for (const pattern of PATTERNS) {
    it(`finds ${pattern}`, () => {
      assert.deepEqual(rules('core/src/x.ts', `export const p = ${pattern};`), ['linear-pattern']);
    });
  }

  it('leaves bounded patterns alone', () => {
    assert.deepEqual(rules('core/src/x.ts', 'export const p = /[\\w.-]{0,64}token\\w*/;'), []);
  });

  it('finds a pattern that is made at run time without a reason for its cost', () => {
    assert.deepEqual(rules('core/src/x.ts', 'export const p = (x: string) => new RegExp(x);'), ['made-pattern']);
    assert.deepEqual(rules('core/src/x.ts', 'export const p = (x: string) => RegExp(x);'), ['made-pattern']);
    assert.deepEqual(rules('core/src/x.ts', '// linear: an escaped name\nexport const p = new RegExp(x);'), []);
    assert.deepEqual(rules('core/src/x.ts', '// linear: a\n\nexport const p = new RegExp(x);'), ['made-pattern']);
  });

  it('finds outside data that is spread behind a computed field, and leaves it alone before', () => {
    assert.deepEqual(rules('operator/src/x.ts', 'const y = { message: m, ...seen.payload };'), ['outside-spread']);
    assert.deepEqual(rules('operator/src/x.ts', 'const y = { ...seen.payload, message: m };'), []);
  });
});
