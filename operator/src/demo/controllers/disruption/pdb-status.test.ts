import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PodDisruptionBudget } from '../shape/workloads.ts';
import { aPod, NOW } from '../testing/samples.ts';
import { pdbStatus } from './pdb-status.ts';

function budget(spec: PodDisruptionBudget['spec']): PodDisruptionBudget {
  return { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'web', namespace: 'shop' }, spec };
}

describe('a disruption budget allows', () => {
  const cases: readonly [string, PodDisruptionBudget['spec'], ready: number, scale: number, allowed: number][] = [
    ['what is above a minimum', { minAvailable: 2 }, 3, 3, 1],
    ['nothing at the minimum', { minAvailable: 3 }, 3, 3, 0],
    ['what is above a share, rounded up', { minAvailable: '50%' }, 3, 3, 1],
    ['up to a maximum', { maxUnavailable: 1 }, 3, 3, 1],
    ['less while pods are missing', { maxUnavailable: 1 }, 2, 3, 0],
    ['up to a share, rounded up', { maxUnavailable: '34%' }, 3, 3, 2],
    ['nothing without pods', { maxUnavailable: 1 }, 0, 0, 0],
  ];
  for (const [name, spec, ready, scale, allowed] of cases)
    it(name, () => {
      const pods = Array.from({ length: ready }, (_, index) => aPod(`web-${index}`));
      const status = pdbStatus(budget(spec), pods, scale, NOW);
      assert.equal(status.disruptionsAllowed, allowed);
      assert.equal(status.conditions?.[0]?.reason, allowed > 0 ? 'SufficientPods' : 'InsufficientPods');
    });
});
