import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  areDifferentPeople,
  type Caller,
  type Grant,
  holdsGrant,
  includesRole,
  intersectGrants,
  judgeAccess,
  judgeAccessAnywhere,
  readableBy,
} from './access.ts';
import { ROLES } from './service.ts';

function caller(...grants: Grant[]): Caller {
  return { subject: 'ana', displayName: 'Ana', grants };
}

test('nobody may do anything without a grant', () => {
  for (const role of ROLES) assert.equal(judgeAccess(caller(), role, 'shop').kind, 'refused');
  assert.deepEqual(readableBy(caller()), { kind: 'namespaces', namespaces: [] });
});

test('a grant for one namespace reaches neither another nor what lies in none', () => {
  const approver = caller({ role: 'approver', namespace: 'shop' });
  assert.equal(judgeAccess(approver, 'approver', 'shop').kind, 'allowed');
  assert.equal(judgeAccess(approver, 'approver', 'pay').kind, 'refused');
  assert.equal(judgeAccess(approver, 'viewer', undefined).kind, 'refused');
  assert.deepEqual(readableBy(approver), { kind: 'namespaces', namespaces: ['shop'] });
});

test('a refusal names the role that is needed and the ones that are held', () => {
  const verdict = judgeAccess(caller({ role: 'viewer', namespace: 'shop' }), 'approver', 'pay');
  assert.match(verdict.message, /expected the role approver for namespace `pay`, found viewer for `shop`/);
});

test('each role may all that the ones before it may', () => {
  const grant = fc.record({ role: fc.constantFrom(...ROLES), namespace: fc.constantFrom('', 'shop', 'pay') });
  fc.assert(
    fc.property(
      fc.array(grant),
      fc.constantFrom(...ROLES),
      fc.constantFrom(undefined, 'shop'),
      (grants, needed, namespace) => {
        if (judgeAccess(caller(...grants), needed, namespace).kind === 'refused') return;
        for (const lesser of ROLES.filter((role) => includesRole(needed, role))) {
          assert.equal(judgeAccess(caller(...grants), lesser, namespace).kind, 'allowed');
          assert.equal(judgeAccessAnywhere(caller(...grants), lesser).kind, 'allowed');
        }
      },
    ),
  );
});

test('an intersection allows exactly what both lists allow, and names no grant twice', () => {
  const grants = fc.array(
    fc.record({ role: fc.constantFrom(...ROLES), namespace: fc.constantFrom('', 'shop', 'pay', 'web') }),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(
      grants,
      grants,
      fc.constantFrom(...ROLES),
      fc.constantFrom(undefined, 'shop', 'pay', 'other'),
      (own, held, needed, namespace) => {
        const both = intersectGrants(own, held);
        const allowed = (list: readonly Grant[]) => judgeAccess(caller(...list), needed, namespace).kind === 'allowed';
        assert.equal(allowed(both), allowed(own) && allowed(held));
        for (const [index, grant] of both.entries()) assert.ok(!holdsGrant(both.toSpliced(index, 1), grant));
      },
    ),
  );
});

const VOTES = {
  'two people who came by themselves': [{ person: 'ada' }, { person: 'bob' }, true],
  'one person twice': [{ person: 'ada' }, { person: 'ada' }, false],
  'a session whose link the other voter made': [{ person: 'ada' }, { person: 'bob', madeBy: 'ada' }, false],
  'two sessions whose links one account made': [
    { person: 'bob', madeBy: 'ada' },
    { person: 'eve', madeBy: 'ada' },
    false,
  ],
  'a link that each made for the other': [{ person: 'bob', madeBy: 'ada' }, { person: 'ada', madeBy: 'bob' }, false],
  'a link that the person made alone': [{ person: 'ada', madeBy: 'ada' }, { person: 'bob' }, true],
  'links of two different admins': [{ person: 'bob', madeBy: 'ada' }, { person: 'eve', madeBy: 'kim' }, true],
} as const;

for (const [sentence, [a, b, expected]] of Object.entries(VOTES))
  test(`votes count as two people or one: ${sentence}`, () => {
    const [x, y] = [
      { madeBy: undefined, ...a },
      { madeBy: undefined, ...b },
    ];
    assert.deepEqual([areDifferentPeople(x, y), areDifferentPeople(y, x)], [expected, expected]);
  });
