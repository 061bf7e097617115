import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifies } from '@hephaisto/test/verifies';
import fc from 'fast-check';
import { judgeSpend, type SpendFacts, type SpendLimits } from './budget.ts';
import { costOf, type Price, reservationOf } from './price.ts';
import { outputReserve } from './tokens.ts';

const PRICE: Price = { input: 1, output: 4, cacheRead: 0.1, cacheWrite: 1.25, asOf: '2026-11-01' };
const LIMITS: SpendLimits = { perTurn: 0.5, perHour: 10, perDay: 50, callsPerTurn: 20, latchFactor: 2 };
const NOTHING: SpendFacts = { reservation: 0.1, heldBack: 0, turnSpent: 0, hourSpent: 0, daySpent: 0, turnCalls: 0 };

test('a call costs its tokens by kind: cached ones a tenth, written ones a quarter more, to the millionth', () => {
  verifies('H1-31');
  const usage = { input: 10_000, output: 500, reasoning: 100, cacheRead: 6_000, cacheWrite: 1_000 };
  // 3,000 fresh at 1, 6,000 at 0.1, 1,000 at 1.25, 500 out at 4
  assert.equal(costOf(usage, PRICE), 0.003 + 0.0006 + 0.00125 + 0.002);
});

test('a price of zero costs nothing, and a price without a cache’s counts cached tokens in full', () => {
  const usage = { input: 1_000_000, output: 0, reasoning: 0, cacheRead: 500_000, cacheWrite: 0 };
  assert.equal(costOf(usage, { input: 0, output: 0, asOf: '2026-11-01' }), 0);
  assert.equal(costOf(usage, { input: 2, output: 0, asOf: '2026-11-01' }), 2);
});

test('no answer within its limit costs more than was reserved for it', () => {
  const count = fc.integer({ min: 0, max: 1_000_000 });
  fc.assert(
    fc.property(count, count, fc.double({ min: 0, max: 1, noNaN: true }), count, (input, most, share, output) => {
      const cacheRead = Math.floor(input * share);
      const usage = { input, output: Math.min(output, most), reasoning: 0, cacheRead, cacheWrite: 0 };
      assert.ok(costOf(usage, PRICE) <= reservationOf(input, most, PRICE) + 1e-9);
    }),
  );
});

test('what is reserved for an answer is what the wire may carry, never more than the model can', () => {
  verifies('H1-55');
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.nat(), (wanted, thinking, maximum) => {
      const reserve = outputReserve(wanted, thinking, maximum);
      assert.ok(reserve <= maximum && (reserve === maximum || reserve === wanted + thinking));
    }),
  );
});

const REFUSALS: readonly (readonly [string, Partial<SpendFacts>, string])[] = [
  ['within all budgets', {}, 'within-budgets'],
  ['the investigation’s would be passed', { turnSpent: 0.45 }, 'budget-investigation'],
  ['only what is held back for the conclusion is left', { turnSpent: 0.3, heldBack: 0.15 }, 'budget-investigation'],
  ['the concluding call may use what was held back', { turnSpent: 0.4 }, 'within-budgets'],
  ['all calls are used', { turnCalls: 20 }, 'budget-calls'],
  ['the hour’s would be passed', { hourSpent: 9.95 }, 'budget-hour'],
  ['the day’s would be passed', { daySpent: 49.95 }, 'budget-day'],
  ['more than twice the hour’s is spent', { hourSpent: 20.01 }, 'runaway'],
];
for (const [sentence, over, reason] of REFUSALS) {
  test(`spending: ${sentence}`, () => {
    const verdict = judgeSpend({ ...NOTHING, ...over }, LIMITS);
    assert.equal(verdict.reason, reason);
    assert.equal(verdict.kind === 'refused' && verdict.latch, reason === 'runaway');
  });
}
