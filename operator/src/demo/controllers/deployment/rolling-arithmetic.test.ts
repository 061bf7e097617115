import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { aDeployment, aReplicaSet } from '../testing/samples.ts';
import { fenceposts } from './fenceposts.ts';
import { proportionalSizes } from './proportions.ts';
import { MAX_REPLICAS } from './revision.ts';
import { reconcileNew, reconcileOld } from './rolling-arithmetic.ts';

const rolling = (maxSurge: number | string, maxUnavailable: number | string) => ({
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
});

describe('how far a rollout may stray', () => {
  const cases: readonly [string, number, number | string, number | string, { surge: number; unavailable: number }][] = [
    ['rounds surge up and unavailability down', 3, '25%', '25%', { surge: 1, unavailable: 0 }],
    ['takes whole percentages exactly', 4, '25%', '25%', { surge: 1, unavailable: 1 }],
    ['takes absolute numbers as they are', 10, 3, 2, { surge: 3, unavailable: 2 }],
    ['lets one pod be unavailable where neither is left', 1, 0, '25%', { surge: 0, unavailable: 1 }],
    ['never lets more be unavailable than are wanted', 2, 0, 5, { surge: 0, unavailable: 2 }],
    ['lets nothing be unavailable where nothing is wanted', 0, '25%', 1, { surge: 0, unavailable: 0 }],
  ];
  for (const [name, replicas, surge, unavailable, expected] of cases)
    it(name, () => {
      assert.deepEqual(fenceposts(aDeployment({ replicas, ...rolling(surge, unavailable) })), expected);
    });

  it('is nothing at all with strategy Recreate', () => {
    assert.deepEqual(fenceposts(aDeployment({ strategy: { type: 'Recreate' } })), { surge: 0, unavailable: 0 });
  });
});

describe('the new ReplicaSet', () => {
  const cases: readonly [string, number, number, number, number][] = [
    ['grows into the surge', 4, 0, 4, 1],
    ['grows as old pods leave', 4, 2, 3, 2],
    ['never grows beyond what is wanted', 4, 3, 0, 4],
    ['shrinks at once when less is wanted', 2, 5, 0, 2],
    ['stays when there is no room', 4, 1, 4, 1],
  ];
  for (const [name, replicas, size, old, expected] of cases)
    it(name, () => {
      const current = aReplicaSet('web-new', { replicas: size });
      const all = [current, aReplicaSet('web-old', { replicas: old })];
      assert.equal(reconcileNew(aDeployment({ replicas }), all, current).to, expected);
    });
});

interface OldCase {
  readonly name: string;
  readonly replicas: number;
  readonly surge: number | string;
  readonly unavailable: number | string;
  readonly current: readonly [size: number, available: number];
  readonly old: readonly (readonly [size: number, available: number])[];
  readonly expected: readonly number[];
}

describe('the old ReplicaSets', () => {
  const cases: readonly OldCase[] = [
    {
      name: 'give way by what may be unavailable',
      replicas: 10,
      surge: 0,
      unavailable: 2,
      current: [0, 0],
      old: [[10, 10]],
      expected: [8],
    },
    {
      name: 'give way as new pods become available',
      replicas: 4,
      surge: 1,
      unavailable: 0,
      current: [1, 1],
      old: [[4, 4]],
      expected: [3],
    },
    {
      name: 'wait while new pods are not available',
      replicas: 4,
      surge: 1,
      unavailable: 0,
      current: [1, 0],
      old: [[4, 4]],
      expected: [4],
    },
    {
      name: 'do not pay for new pods that never come',
      replicas: 10,
      surge: 3,
      unavailable: 2,
      current: [5, 0],
      old: [[8, 7]],
      expected: [8],
    },
    {
      name: 'lose their broken pods first on a rollback',
      replicas: 10,
      surge: 3,
      unavailable: 2,
      current: [8, 7],
      old: [[5, 0]],
      expected: [1],
    },
    {
      name: 'lose the broken ones of the oldest before healthy ones of others',
      replicas: 4,
      surge: 1,
      unavailable: 1,
      current: [2, 2],
      old: [
        [1, 0],
        [2, 2],
      ],
      expected: [0, 1],
    },
  ];
  for (const test of cases)
    it(test.name, () => {
      const current = aReplicaSet('web-new', { replicas: test.current[0], available: test.current[1] });
      const old = test.old.map(([replicas, available], index) =>
        aReplicaSet(`web-old-${index}`, { replicas, available }),
      );
      const deployment = aDeployment({ replicas: test.replicas, ...rolling(test.surge, test.unavailable) });
      const resizes = new Map(reconcileOld(deployment, current, old).map((resize) => [resize.replicaSet, resize.to]));
      assert.deepEqual(
        old.map((replicaSet) => resizes.get(replicaSet) ?? replicaSet.spec.replicas),
        test.expected,
      );
    });

  it('never shrink below what must stay available', () => {
    const size = fc.nat(12);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.nat(4), fc.nat(4), size, size, size, size, (...drawn) => {
        const [replicas, surge, unavailable, newSize, newAvailable, oldSize, oldAvailable] = drawn;
        const deployment = aDeployment({ replicas, ...rolling(surge, unavailable) });
        const current = aReplicaSet('web-new', { replicas: newSize, available: Math.min(newSize, newAvailable) });
        const old = aReplicaSet('web-old', { replicas: oldSize, available: Math.min(oldSize, oldAvailable) });
        const [resize] = reconcileOld(deployment, current, [old]);
        const before = Math.min(newSize, newAvailable) + Math.min(oldSize, oldAvailable);
        // Broken pods leave first, so at worst the shrunk set keeps as many available ones as it keeps pods.
        const after = Math.min(newSize, newAvailable) + Math.min(resize?.to ?? oldSize, oldSize, oldAvailable);
        const minimum = replicas - fenceposts(deployment).unavailable;
        assert.ok(after >= Math.min(before, minimum), `${after} available of ${before}, minimum ${minimum}`);
      }),
    );
  });
});

describe('scaling in the middle of a rollout', () => {
  const sized = (name: string, replicas: number, max: number, age: number) =>
    aReplicaSet(name, { replicas, annotations: { [MAX_REPLICAS]: String(max) }, age });

  it('shares what is added by size and gives the rest to the largest', () => {
    const active = [sized('web-old', 8, 13, 1), sized('web-new', 5, 13, 2)];
    const sizes = proportionalSizes(aDeployment({ replicas: 15, ...rolling(3, 2) }), active);
    assert.deepEqual(Object.fromEntries(sizes), { 'web-old': 11, 'web-new': 7 });
  });

  it('shares what is taken away', () => {
    const active = [sized('web-old', 8, 13, 1), sized('web-new', 5, 13, 2)];
    const sizes = proportionalSizes(aDeployment({ replicas: 5, ...rolling(3, 2) }), active);
    assert.deepEqual(Object.fromEntries(sizes), { 'web-old': 5, 'web-new': 3 });
  });

  it('takes everything when nothing is wanted', () => {
    const active = [sized('web-old', 8, 13, 1), sized('web-new', 5, 13, 2)];
    const sizes = proportionalSizes(aDeployment({ replicas: 0 }), active);
    assert.deepEqual(Object.fromEntries(sizes), { 'web-old': 0, 'web-new': 0 });
  });
});
