import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type RecoveryFacts, type RecoveryState, recoveryOf } from './recovery.ts';

const CASES: Readonly<Record<string, [RecoveryFacts, RecoveryState]>> = {
  'a signal fires': [{ firing: 1, unobserved: 0, endedWell: 3, lacksReplicas: false }, 'failing'],
  'all signals ended and every replica is ready': [
    { firing: 0, unobserved: 0, endedWell: 0, lacksReplicas: false },
    'recovered',
  ],
  'all signals ended, but replicas are missing': [
    { firing: 0, unobserved: 0, endedWell: 1, lacksReplicas: true },
    'unconfirmed',
  ],
  'the object was seen to recover': [{ firing: 0, unobserved: 0, endedWell: 1, lacksReplicas: undefined }, 'recovered'],
  'an object can no longer be read': [{ firing: 0, unobserved: 1, endedWell: 1, lacksReplicas: false }, 'unconfirmed'],
  'the objects are gone, and nothing else is known': [
    { firing: 0, unobserved: 0, endedWell: 0, lacksReplicas: undefined },
    'unconfirmed',
  ],
};

describe('whether a workload has recovered', () => {
  for (const [name, [facts, expected]] of Object.entries(CASES))
    it(name, () => assert.equal(recoveryOf(facts), expected));
});
