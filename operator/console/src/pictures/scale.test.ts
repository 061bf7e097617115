import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { stepPath, timeScale, timeTicks } from './scale.ts';

describe('pictures over time', () => {
  it('stay inside their width whatever the moment', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 0, max: 1e9 }), fc.integer(), (from, length, at) => {
        const x = timeScale(from, from + length, 600)(at);
        assert.ok(x >= 0 && x <= 600);
      }),
    );
  });
  it('draw steps, since nothing was measured between two samples', () => {
    assert.equal(
      stepPath(
        [
          [0, 10],
          [5, 20],
        ],
        8,
      ),
      'M0.0 10.0H5.0V20.0H8.0',
    );
    assert.equal(stepPath([], 8), '');
  });
  it('have few ticks, all of them inside', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2e12 }), fc.integer({ min: 1, max: 7e9 }), (from, length) => {
        const ticks = timeTicks(from, from + length, 6);
        assert.ok(ticks.length <= 7);
        assert.ok(ticks.every((tick) => tick >= from && tick <= from + length));
      }),
    );
  });
});
