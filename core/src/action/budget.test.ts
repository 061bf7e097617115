import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { verifies } from '@hephaisto/test/verifies';
import fc from 'fast-check';
import { judgeBudgets } from './budget.ts';

const budget = fc.record({
  name: fc.constantFrom('actions_hour', 'actions_day'),
  scope: fc.constant('installation'),
  used: fc.nat(40),
  limit: fc.nat(40),
  windowSeconds: fc.constant(3600),
});

describe('budgets of actions', () => {
  it('one more fits exactly when none would be passed', () => {
    verifies('H3-56');
    fc.assert(
      fc.property(fc.array(budget, { maxLength: 4 }), (budgets) => {
        const verdict = judgeBudgets(budgets);
        assert.equal(
          verdict.kind === 'within',
          budgets.every(({ used, limit }) => used < limit),
        );
        if (verdict.kind === 'exceeded')
          assert.ok(verdict.message.includes(`${verdict.budget.used} of ${verdict.budget.limit}`));
      }),
    );
  });

  it('no number at all is no leave', () => {
    assert.equal(
      judgeBudgets([{ name: 'a', scope: 'b', used: Number.NaN, limit: 10, windowSeconds: 1 }]).kind,
      'exceeded',
    );
  });
});
