import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Sighting } from '../../flow/signal-log/sighting.ts';
import { createObservationBuffer } from './observation-buffer.ts';

function sighting(externalKey: string, over: { readonly benign?: boolean; readonly message?: string } = {}): Sighting {
  return {
    observation: {
      source: 'k8s',
      cluster: 'c',
      clusterKnown: true,
      externalKey,
      kind: 'CrashLoopBackOff',
      severity: 'warning',
      reason: 'r',
      message: over.message ?? 'm',
      payload: {},
      status: 'firing',
      startsAt: new Date(0),
      ownerChain: [],
      labels: {},
      isSelf: false,
    },
    ...(over.benign === true ? { settled: { disposition: 'benign', reason: 'noted' } as const } : {}),
  };
}

function buffer(most: number) {
  const seen = { full: 0, dropped: 0 };
  const made = createObservationBuffer(
    () => {
      seen.full += 1;
    },
    (count) => {
      seen.dropped += count;
    },
    most,
  );
  return { seen, made };
}

describe('the observations that wait for the database', () => {
  it('stay bounded while one condition is observed again and again, and keep its newest state', () => {
    const { seen, made } = buffer(100);
    for (let n = 0; n < 10_000; n += 1) made.add(sighting('a', { message: `restart ${n}` }));
    assert.ok(made.size <= 100);
    assert.deepEqual(seen, { full: 0, dropped: 0 });
    assert.equal(made.take(1_000).at(-1)?.observation.message, 'restart 9999');
  });

  it('lose notes before conditions', () => {
    const { seen, made } = buffer(100);
    for (let n = 0; n < 60; n += 1) made.add(sighting(`condition-${n}`));
    for (let n = 0; n < 60; n += 1) made.add(sighting(`note-${n}`, { benign: true }));
    const kept = made.take(1_000).filter(({ settled }) => settled === undefined);
    assert.equal(kept.length, 60);
    assert.equal(seen.full, 0);
    assert.ok(seen.dropped > 0);
  });

  it('are given up for a fresh list when there are more conditions than can be kept', () => {
    const { seen, made } = buffer(100);
    for (let n = 0; n < 101; n += 1) made.add(sighting(`condition-${n}`));
    assert.deepEqual([seen.full, made.size], [1, 0]);
  });

  it('go back to the front when they could not be written', () => {
    const { made } = buffer(100);
    for (const key of ['a', 'b', 'c']) made.add(sighting(key));
    made.putBack(made.take(2));
    assert.deepEqual(
      made.take(10).map(({ observation }) => observation.externalKey),
      ['a', 'b', 'c'],
    );
  });
});
