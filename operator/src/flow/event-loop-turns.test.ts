import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createYield } from './event-loop-turns.ts';
import { startBudget } from './transaction-budget.ts';

/** A clock that a test moves, and the sleeps that were asked for. */
function movedClock() {
  let now = 0;
  const sleeps: number[] = [];
  return {
    clock: { monotonicMs: () => now },
    timers: {
      sleep: async (ms: number) => {
        sleeps.push(now + ms);
      },
    },
    move: (ms: number) => {
      now += ms;
    },
    sleeps,
  };
}

test('a loop gives a turn by the time it has held the event loop, however many items that were', async () => {
  const { clock, timers, move, sleeps } = movedClock();
  const yieldToEventLoop = createYield({ clock, timers });
  for (let item = 0; item < 1_000; item += 1) await yieldToEventLoop();
  assert.deepEqual(sleeps, []);
  for (let item = 0; item < 30; item += 1) {
    move(5);
    await yieldToEventLoop();
  }
  assert.equal(sleeps.length, 15);
});

test('a transaction takes no more once its time is spent', () => {
  const { clock, move } = movedClock();
  const budget = startBudget(clock);
  assert.equal(budget.isSpent(), false);
  move(1_000);
  assert.equal(budget.isSpent(), true);
});
