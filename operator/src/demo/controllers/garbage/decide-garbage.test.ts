import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decideGarbage } from './decide-garbage.ts';

const owner = (uid: string) => ({ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: uid, uid });

describe('an object', () => {
  const cases: readonly [string, owners: readonly string[], left: readonly string[], string][] = [
    ['without owners stays', [], [], 'unowned'],
    ['whose owner is there stays', ['a'], ['a'], 'owned'],
    ['whose only owner is gone goes', ['a'], [], 'all-owners-gone'],
    ['all of whose owners are gone goes', ['a', 'b'], [], 'all-owners-gone'],
    ['with one owner left stays, and forgets the other', ['a', 'b'], ['b'], 'some-owners-gone'],
  ];
  for (const [name, owners, left, reason] of cases)
    it(name, () => {
      const metadata = { name: 'x', ownerReferences: owners.map(owner) };
      const decision = decideGarbage({ apiVersion: 'v1', kind: 'Pod', metadata }, ({ uid }) => left.includes(uid));
      assert.equal(decision.reason, reason);
      if (decision.kind === 'drop-references') assert.deepEqual(decision.kept, left.map(owner));
    });
});
