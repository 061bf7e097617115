import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { hasRecovered, RESTART_WINDOW_MS, restartSeries } from './restart-series.ts';

const MINUTE = 60_000;

describe('restarts of a pod', () => {
  it('without any there is no series', () => assert.equal(restartSeries([], 5 * MINUTE, MINUTE), undefined));

  it('a burst is over minutes after it ended, not an hour later', () => {
    const burst = [0, 10_000, 30_000, 70_000];
    assert.equal(restartSeries(burst, 70_000, 2 * MINUTE)?.restarts, 4);
    assert.equal(restartSeries(burst, 70_000 + 2 * MINUTE, 2 * MINUTE), undefined);
  });

  it('restarts every quarter of an hour are one series: the pod recovers between none of them', () => {
    const slow = [0, 15, 30, 45].map((minute) => minute * MINUTE);
    const series = restartSeries(slow, 59 * MINUTE, 2 * MINUTE);
    assert.deepEqual([series?.restarts, series?.firstAt.getTime()], [4, 0]);
    assert.equal(restartSeries(slow, 45 * MINUTE + 22.5 * MINUTE, 2 * MINUTE), undefined);
  });

  it('a storm is recovered from for good; fewer restarts stay, to be seen as a storm once they are more', () => {
    const burst = [0, 10_000, 30_000, 70_000];
    assert.equal(hasRecovered(burst, 70_000 + MINUTE, 2 * MINUTE), false);
    assert.equal(hasRecovered(burst, 70_000 + 2 * MINUTE, 2 * MINUTE), true);
    assert.equal(hasRecovered(burst, 70_000 + 2 * RESTART_WINDOW_MS, 2 * MINUTE), true);
    assert.equal(hasRecovered(burst.slice(1), 40 * MINUTE, 2 * MINUTE), false);
    assert.equal(hasRecovered([], 40 * MINUTE, 2 * MINUTE), false);
  });

  it('a series ends after a time that no earlier pause reached, and within the window', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(RESTART_WINDOW_MS), { minLength: 1 }), fc.nat(RESTART_WINDOW_MS), (at, least) => {
        const last = Math.max(...at);
        const series = restartSeries(at, last, least + 1);
        if (series === undefined) return false;
        const over = restartSeries(at, last + Math.max(series.healMs, 1), least + 1);
        return over === undefined && series.healMs <= Math.max(RESTART_WINDOW_MS, least + 1);
      }),
    );
  });
});
