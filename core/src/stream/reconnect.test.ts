import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { planReconnect } from './reconnect.ts';

const TIMES = { firstMs: 500, longestMs: 30_000, minimumLifeMs: 5_000 };
const unit = fc.double({ min: 0, max: 1, noNaN: true });

describe('the pause before a stream is opened again', () => {
  it('grows with each stream in a row that lived too short a time, up to its bound', () => {
    let shortLives = 0;
    const pauses: number[] = [];
    for (let end = 0; end < 9; end += 1) {
      const plan = planReconnect({ shortLives, livedMs: 1, random: 0.5 }, TIMES);
      shortLives = plan.shortLives;
      pauses.push(plan.pauseMs);
    }
    assert.deepEqual(pauses, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('starts anew after a stream that lived long enough', () => {
    assert.deepEqual(planReconnect({ shortLives: 9, livedMs: 5_000, random: 0.5 }, TIMES), {
      shortLives: 0,
      pauseMs: 250,
    });
  });

  it('lets at most a few attempts through, however many streams end at once', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.double({ min: 0, max: 4_999, noNaN: true }), unit), { minLength: 20 }),
        (ends) => {
          let shortLives = 0;
          let elapsedMs = 0;
          let attempts = 0;
          for (const [livedMs, random] of ends) {
            const plan = planReconnect({ shortLives, livedMs, random }, TIMES);
            shortLives = plan.shortLives;
            elapsedMs += plan.pauseMs;
            attempts += 1;
            assert.ok(plan.pauseMs >= TIMES.firstMs / 2 && plan.pauseMs <= TIMES.longestMs * 1.5);
            if (elapsedMs <= 60_000) assert.ok(attempts <= 12);
          }
        },
      ),
    );
  });
});
