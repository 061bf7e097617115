import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '../shape/pod.ts';
import { aPod } from '../testing/samples.ts';
import { podsToDelete } from './deletion-ranking.ts';

const NOW = new Date('2030-01-01T01:00:00Z');

describe('of two pods, the one to give up is', () => {
  const cases: readonly [string, gone: Pod, kept: Pod][] = [
    ['the one on no node', aPod('gone', { node: '' }), aPod('kept')],
    ['the pending one', aPod('gone', { phase: 'Pending' }), aPod('kept', { ready: false })],
    ['the one that is not ready', aPod('gone', { ready: false }), aPod('kept')],
    [
      'the one that is said to cost less',
      aPod('gone', { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-5' } }),
      aPod('kept'),
    ],
    [
      'the one that has been ready for much less time',
      aPod('gone', { readySince: '2030-01-01T00:59:00Z' }),
      aPod('kept', { readySince: '2030-01-01T00:00:00Z' }),
    ],
    ['the one that restarted more', aPod('gone', { restarts: 4 }), aPod('kept', { restarts: 1 })],
    [
      'the much younger one',
      aPod('gone', { created: '2030-01-01T00:59:00Z' }),
      aPod('kept', { created: '2030-01-01T00:00:00Z' }),
    ],
    [
      'the one with the smaller uid where ages are of one magnitude',
      aPod('a-gone', { created: '2030-01-01T00:00:00Z' }),
      aPod('b-kept', { created: '2030-01-01T00:00:01Z' }),
    ],
  ];
  for (const [name, gone, kept] of cases)
    it(name, () => {
      assert.deepEqual(podsToDelete([kept, gone], 1, NOW), [gone]);
      assert.deepEqual(podsToDelete([gone, kept], 1, NOW), [gone]);
    });
});

describe('the pods to give up', () => {
  it('come first from nodes that hold several', () => {
    const pods = [aPod('single', { node: 'node-b' }), aPod('twin-1'), aPod('twin-2')];
    const [gone] = podsToDelete(pods, 1, NOW);
    assert.equal(gone?.spec.nodeName, 'node-a');
  });

  it('are all of them when all must go, and none when none must', () => {
    const pods = [aPod('a'), aPod('b')];
    assert.equal(podsToDelete(pods, 2, NOW).length, 2);
    assert.equal(podsToDelete(pods, 0, NOW).length, 0);
  });
});
