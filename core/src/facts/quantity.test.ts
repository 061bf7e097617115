import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatCpu, formatMemory, parseCpuMillis, parseMemoryBytes, parseQuantity } from './quantity.ts';

const QUANTITIES: Readonly<Record<string, { text: unknown; value: number | undefined }>> = {
  'a plain number': { text: '4', value: 4 },
  'a JSON number': { text: 4, value: 4 },
  millis: { text: '500m', value: 0.5 },
  'binary suffix': { text: '64Mi', value: 64 * 2 ** 20 },
  'binary suffix with a fraction': { text: '1.5Gi', value: 1.5 * 2 ** 30 },
  'decimal suffix': { text: '1k', value: 1000 },
  'exponent form': { text: '1e3', value: 1000 },
  'exponent form with a capital and a sign': { text: '12E-1', value: 1.2 },
  'exa suffix, not an exponent': { text: '1E', value: 1e18 },
  'leading point': { text: '.5', value: 0.5 },
  'nothing at all': { text: '', value: undefined },
  'an unknown suffix': { text: '5X', value: undefined },
  'a suffix alone': { text: 'Mi', value: undefined },
  'an object': { text: {}, value: undefined },
  'not a number': { text: Number.NaN, value: undefined },
};

for (const [sentence, { text, value }] of Object.entries(QUANTITIES)) {
  test(`quantity: ${sentence}`, () => {
    assert.equal(parseQuantity(text), value);
  });
}

test('cpu is whole millicores and fractions of one are rounded up', () => {
  assert.equal(parseCpuMillis('0.1'), 100);
  assert.equal(parseCpuMillis('1.0005'), 1001);
  assert.equal(parseCpuMillis('250m'), 250);
});

test('what is formatted parses back to the same amount', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 45 }), (bytes) => {
      assert.equal(parseMemoryBytes(formatMemory(bytes)), bytes);
    }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), (millis) => {
      assert.equal(parseCpuMillis(formatCpu(millis)), millis);
    }),
  );
});
