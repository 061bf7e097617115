import assert from 'node:assert/strict';
import { test } from 'node:test';
import { steadyTimeOfDay } from '@hephaisto/core/ports/clock';

test('a steady time of day neither jumps nor stands still when somebody sets the clock of the machine', () => {
  let wallMs = 1_700_000_000_000;
  let passedMs = 50;
  const nowMs = steadyTimeOfDay({ now: () => new Date(wallMs), monotonicMs: () => passedMs });
  assert.equal(nowMs(), 1_700_000_000_000);
  wallMs -= 3_600_000;
  passedMs += 1_500;
  assert.equal(nowMs(), 1_700_000_001_500);
  wallMs += 7_200_000;
  passedMs += 500;
  assert.equal(nowMs(), 1_700_000_002_000);
});
