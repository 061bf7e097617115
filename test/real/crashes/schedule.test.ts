import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LINE_FAULT_POINTS } from '@hephaisto/core/ports/fault-point-names';
import { PLOTS } from './plots.ts';
import { chosenSeeds, ROTATIONS, scheduled, walkLength } from './schedule.ts';

describe('which crash a seed stands for', () => {
  it('the first seeds kill at every listed point at least once', () => {
    const reached = new Set(
      Array.from({ length: walkLength(PLOTS) }, (_, seed) => scheduled(seed, PLOTS, undefined).lives[0]?.[0]?.point),
    );
    assert.deepEqual(
      LINE_FAULT_POINTS.filter((point) => !reached.has(point)),
      [],
    );
  });

  it('a seed is always the same run, and those behind the walk differ', () => {
    const titles = Array.from({ length: 60 }, (_, n) => scheduled(walkLength(PLOTS) + n, PLOTS, 'pg').title);
    assert.deepEqual(
      titles,
      Array.from({ length: 60 }, (_, n) => scheduled(walkLength(PLOTS) + n, PLOTS, 'pg').title),
    );
    assert.ok(new Set(titles).size > 40, `expected different runs, found ${new Set(titles).size} of 60`);
  });

  it('one run walks through every point, and all rotations together play every seed', () => {
    const choice = { seed: undefined, runs: undefined, allSeeds: false };
    const parts = Array.from({ length: ROTATIONS }, (_, rotation) => chosenSeeds({ ...choice, rotation }, PLOTS));
    const walk = Array.from({ length: walkLength(PLOTS) }, (_, seed) => seed);
    for (const part of parts) assert.deepEqual(part.slice(0, walk.length), walk);
    const together = [...new Set(parts.flat())].sort((a, b) => a - b);
    assert.deepEqual(together, chosenSeeds({ ...choice, allSeeds: true, rotation: 0 }, PLOTS));
    assert.deepEqual(chosenSeeds({ ...choice, rotation: ROTATIONS + 1 }, PLOTS), parts[1]);
  });
});
