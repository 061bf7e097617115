import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createPageClock } from './page-clock.ts';

it('the time of the page moves forward when the clock is set back, and when the device has slept', () => {
  let wall = 1_000_000;
  let elapsed = 0;
  const now = createPageClock(
    () => wall,
    () => elapsed,
  );
  assert.equal(now(), 1_000_000);
  wall -= 3_600_000;
  elapsed += 30_000;
  assert.equal(now(), 1_030_000);
  wall += 60_000;
  assert.equal(now(), 1_090_000);
});
