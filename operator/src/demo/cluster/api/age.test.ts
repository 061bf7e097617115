import assert from 'node:assert/strict';
import { it } from 'node:test';
import { age, shortDuration } from './age.ts';

const forms: readonly (readonly [seconds: number, text: string])[] = [
  [0, '0s'],
  [119, '119s'],
  [120, '2m'],
  [330, '5m30s'],
  [3599, '59m'],
  [3 * 3600 + 720, '3h12m'],
  [30 * 3600, '30h'],
  [2 * 86_400 + 4 * 3600, '2d4h'],
  [100 * 86_400, '100d'],
  [800 * 86_400, '2y70d'],
];

for (const [seconds, text] of forms)
  it(`writes ${seconds} s as ${text}`, () => assert.equal(shortDuration(seconds * 1000), text));

it('does not guess an age without a time', () => assert.equal(age(undefined, new Date(0)), '<unknown>'));
