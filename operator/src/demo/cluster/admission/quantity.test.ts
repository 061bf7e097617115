import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseQuantity } from './quantity.ts';

const amounts: Readonly<Record<string, number | undefined>> = {
  '1': 1,
  '500m': 0.5,
  '128Mi': 128 * 2 ** 20,
  '1.5Gi': 1.5 * 2 ** 30,
  '2G': 2e9,
  '1e3': 1000,
  '-1': -1,
  '.5': 0.5,
  '': undefined,
  lots: undefined,
  '1 Gi': undefined,
  '1gi': undefined,
  '1.2.3': undefined,
};

for (const [text, amount] of Object.entries(amounts)) {
  it(`reads \`${text}\` as ${amount ?? 'no quantity'}`, () => assert.equal(parseQuantity(text), amount));
}
