import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaledValue } from './int-or-percent.ts';
import { selects } from './label-selector.ts';
import { randomSuffix, templateHash } from './names.ts';
import { milli, quantity } from './quantity.ts';
import type { LabelSelector } from './workloads.ts';

describe('a quantity', () => {
  const cases: readonly [string | number, number][] = [
    ['2', 2],
    ['1500m', 1.5],
    ['64Mi', 64 * 2 ** 20],
    ['1.5Gi', 1.5 * 2 ** 30],
    ['1k', 1_000],
    ['1e3', 1_000],
    [4, 4],
    ['much', 0],
  ];
  for (const [text, value] of cases) it(`reads \`${text}\``, () => assert.equal(quantity(text), value));

  it('adds up exactly in thousandths', () => {
    assert.equal(milli('0.1') + milli('0.2'), 300);
    assert.equal(milli('1.001'), 1_001);
  });
});

describe('a percentage', () => {
  it('is rounded as told, a number left alone', () => {
    assert.deepEqual([scaledValue('25%', 3, 'up'), scaledValue('25%', 3, 'down'), scaledValue(7, 3, 'up')], [1, 0, 7]);
  });
});

describe('a selector', () => {
  const expression = (operator: string, values?: string[]): LabelSelector => ({
    matchExpressions: [{ key: 'tier', operator, ...(values === undefined ? {} : { values }) }],
  });
  const cases: readonly [string, LabelSelector | undefined, Record<string, string>, boolean][] = [
    ['that is absent selects nothing', undefined, { app: 'web' }, false],
    ['that is empty selects everything', {}, {}, true],
    ['wants every label', { matchLabels: { app: 'web', tier: 'x' } }, { app: 'web' }, false],
    ['knows In', expression('In', ['a', 'b']), { tier: 'b' }, true],
    ['takes NotIn for true where the label is missing', expression('NotIn', ['a']), {}, true],
    ['knows Exists', expression('Exists'), {}, false],
    ['knows DoesNotExist', expression('DoesNotExist'), {}, true],
  ];
  for (const [name, selector, labels, expected] of cases)
    it(name, () => assert.equal(selects(selector, labels), expected));
});

describe('a generated name', () => {
  it('ends in letters and digits that cannot be mistaken', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 0.999_999, noNaN: true }), (drawn) => {
        assert.match(
          randomSuffix(() => drawn),
          /^[bcdfghjklmnpqrstvwxz2456789]{5}$/,
        );
      }),
    );
  });

  it('hashes a template alike whatever the order of its keys, and otherwise after a collision', () => {
    const hash = templateHash({ a: 1, b: [{ c: 2, d: null }] });
    assert.equal(hash, templateHash({ b: [{ c: 2 }], a: 1 }));
    assert.notEqual(hash, templateHash({ a: 1, b: [{ c: 3 }] }));
    assert.notEqual(hash, templateHash({ a: 1, b: [{ c: 2 }] }, 1));
    assert.match(hash, /^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
  });
});
