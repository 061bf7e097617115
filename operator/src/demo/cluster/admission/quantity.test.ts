import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseQuantity } from '@hephaisto/core/facts/quantity';
import { canonicalQuantity } from './quantity.ts';

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

const canonical: Readonly<Record<string, string>> = {
  '1024Mi': '1Gi',
  '1536Mi': '1536Mi',
  '0.5Gi': '512Mi',
  '1000m': '1',
  '1500m': '1500m',
  '0.5': '500m',
  '2000': '2k',
  '0.1': '100m',
  '0': '0',
  '128974848': '128974848',
  '1e3': '1e3',
};

for (const [text, written] of Object.entries(canonical)) {
  it(`writes \`${text}\` back as ${written}`, () => assert.equal(canonicalQuantity(text), written));
}

it('writes a number back as text', () => assert.equal(canonicalQuantity(1), '1'));
