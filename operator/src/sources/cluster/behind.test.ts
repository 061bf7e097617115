import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FeedState, FeedTarget } from '@hephaisto/core/ports/object-feed';
import { createBehind } from './behind.ts';

const PODS: FeedTarget = { apiVersion: 'v1', resource: 'pods', namespace: 'shop' };
const FAILING: FeedState = {
  kind: 'failing',
  verb: 'watch',
  failure: { kind: 'failure', reason: 'unsent', message: 'connection refused' },
};

function feed() {
  const due: (() => void)[] = [];
  let caughtUp = 0;
  const behind = createBehind(
    {
      after(_milliseconds, run) {
        due.push(run);
        return () => void due.splice(due.indexOf(run), 1);
      },
    },
    () => {
      caughtUp += 1;
    },
  );
  return {
    behind,
    pass: () => {
      for (const run of due.splice(0)) run();
    },
    caughtUp: () => caughtUp,
  };
}

describe('a feed that is cut off', () => {
  it('is behind until the watch that came back has delivered what happened meanwhile', () => {
    const { behind, pass, caughtUp } = feed();
    behind.state(PODS, { kind: 'watching' });
    assert.equal(behind.has('pods', 'shop'), false);
    behind.state(PODS, FAILING);
    assert.deepEqual(
      [behind.has('pods', 'shop'), behind.has('pods', 'other'), behind.has('nodes', '')],
      [true, false, false],
    );
    behind.state(PODS, { kind: 'watching' });
    assert.equal(behind.has('pods', 'shop'), true);
    pass();
    assert.deepEqual([behind.has('pods', 'shop'), caughtUp()], [false, 1]);
  });

  it('that fails again before it has caught up stays behind', () => {
    const { behind, pass } = feed();
    behind.state(PODS, FAILING);
    behind.state(PODS, { kind: 'watching' });
    behind.state(PODS, FAILING);
    pass();
    assert.equal(behind.has('pods', 'shop'), true);
  });

  it('and may not be read any more is not waited for', () => {
    const { behind } = feed();
    behind.state(PODS, FAILING);
    behind.state(PODS, { kind: 'forbidden', verb: 'list', message: 'no' });
    assert.equal(behind.has('pods', 'shop'), false);
  });
});
