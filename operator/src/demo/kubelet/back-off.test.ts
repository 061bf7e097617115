import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goDuration, pullDelaySeconds, restartDelaySeconds } from './back-off.ts';

test('the first restart comes at once, later ones wait 10 s doubling to 5 min', () => {
  const delays = [1, 2, 3, 4, 5, 6, 7, 8].map(restartDelaySeconds);
  assert.deepEqual(delays, [0, 10, 20, 40, 80, 160, 300, 300]);
});

test('pulls wait 10 s doubling to 5 min from the first failure on', () => {
  assert.deepEqual([1, 2, 3, 4, 5, 6, 7].map(pullDelaySeconds), [10, 20, 40, 80, 160, 300, 300]);
});

test('durations read as Go prints them', () => {
  assert.deepEqual([10, 40, 80, 160, 300].map(goDuration), ['10s', '40s', '1m20s', '2m40s', '5m0s']);
});
