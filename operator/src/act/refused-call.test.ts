import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeFailure } from '@hephaisto/core/ports/kube';
import { decideRefusedCall, retryPauseMs, type TargetMovement } from './refused-call.ts';

const EARLY = { waitedMs: 0, patienceMs: 900_000 };
const LATE = { waitedMs: 900_000, patienceMs: 900_000 };

describe('a call that certainly did not apply', () => {
  const TABLE: readonly (readonly [string, KubeFailure['reason'], TargetMovement, string, string])[] = [
    ['an overloaded server is asked again', 'too-many-requests', 'unmoved', 'retry', 'end'],
    ['a refused connection is tried again', 'unsent', 'unknown', 'retry', 'end'],
    ['a token that has expired is renewed meanwhile', 'unauthorized', 'unmoved', 'retry', 'end'],
    ['a conflict on a target that did not move passes', 'conflict', 'unmoved', 'retry', 'end'],
    ['a moved target is read anew', 'conflict', 'moved', 'rebuild', 'rebuild'],
    ['a failed test on a moved target is no verdict on the value', 'invalid', 'moved', 'rebuild', 'rebuild'],
    ['a target that cannot be read is not taken for unmoved', 'invalid', 'unknown', 'retry', 'end'],
    ['a value that the server rejects stays rejected', 'invalid', 'unmoved', 'end', 'end'],
    ['a missing right does not come by itself', 'forbidden', 'unmoved', 'end', 'end'],
    ['a missing target does not come back', 'not-found', 'unknown', 'end', 'end'],
    ['a target that is gone does not come back', 'gone', 'unknown', 'end', 'end'],
  ];
  for (const [title, reason, movement, early, late] of TABLE)
    it(title, () => {
      const failure: KubeFailure = { kind: 'failure', reason, message: 'refused' };
      assert.equal(decideRefusedCall(failure, movement, EARLY).kind, early);
      assert.equal(decideRefusedCall(failure, movement, LATE).kind, late);
    });

  it('pauses grow up to a bound', () => {
    const pauses = { first: 2_000, longest: 60_000 };
    assert.deepEqual(
      [0, 1, 2, 5, 40].map((n) => retryPauseMs(n, pauses)),
      [2_000, 4_000, 8_000, 60_000, 60_000],
    );
  });
});
