import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { labelSelectorTest, labelSelectorText, parseLabelSelector } from './selectors.ts';

const key = fc.constantFrom('app', 'tier', 'example.com/zone');
const value = fc.constantFrom('a', 'b', 'c');
const labels = fc.dictionary(key, value);
const expression = fc.record({
  key,
  operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
  values: fc.array(value, { minLength: 1, maxLength: 3 }),
});

describe('label selectors', () => {
  it('mean the same as an object and as the text made from it', () => {
    fc.assert(
      fc.property(
        fc.record({ matchLabels: labels, matchExpressions: fc.array(expression) }),
        labels,
        (selector, candidate) => {
          const asText = parseLabelSelector(labelSelectorText(selector));
          assert.equal(asText(candidate), labelSelectorTest(selector)(candidate));
        },
      ),
    );
  });

  it('match everything when empty and nothing when absent', () => {
    assert.equal(labelSelectorTest({})({}), true);
    assert.equal(parseLabelSelector('')({}), true);
    assert.equal(labelSelectorTest(undefined)({}), false);
  });

  for (const text of ['=a', 'a in b', 'a b', 'a=b,', 'a in (b', 'a/b/c=d', 'a=b c']) {
    it(`are refused when they read \`${text}\``, () => {
      assert.throws(() => parseLabelSelector(text), /unable to parse requirement|found '/);
    });
  }
});
