import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeFailure } from '@hephaisto/core/ports/kube';
import { drain } from '@hephaisto/test/stage-deps';
import { worlds } from './testing/fresh-world.ts';
import { RESTART, type World } from './testing/world.ts';

const BUDGET: KubeFailure = {
  kind: 'failure',
  reason: 'too-many-requests',
  status: 429,
  message: 'Cannot evict pod. The disruption budget keep needs 3 healthy pods and has 3 currently',
};

function refuseRealCalls(w: World, times: number): void {
  let refused = 0;
  w.cluster.interfere = ({ dryRun }) => {
    if (dryRun || refused >= times) return undefined;
    refused += 1;
    return { instead: BUDGET };
  };
}

describe('a pod that its disruption budget protects', () => {
  const suite = worlds();

  it('is evicted and never deleted', async () => {
    const w = await suite.world();
    await w.propose(RESTART);
    await drain(w.stages().admit, w.stages().act);
    assert.deepEqual(
      w.cluster.sent.map(({ write, dryRun }) => [write.verb, dryRun]),
      [
        ['evict', true],
        ['evict', false],
      ],
    );
  });

  it('is asked for again while the budget allows no eviction', async () => {
    const w = await suite.world({ settings: { patienceMs: 60_000 } });
    refuseRealCalls(w, 4);
    const { actionId } = await w.propose(RESTART);
    const { admit, act } = w.stages();
    await drain(admit);
    const { signal } = new AbortController();
    await act.pass(signal);
    assert.equal((await w.action(actionId)).state, 'Executing');
    for (let pass = 0; pass < 4; pass += 1) await act.pass(signal);
    assert.deepEqual([(await w.action(actionId)).state, w.cluster.real.length], ['Verifying', 5]);
  });

  it('is left alone once the patience is over, and the incident names the budget', async () => {
    const w = await suite.world();
    refuseRealCalls(w, 99);
    const { incidentId, actionId } = await w.propose(RESTART);
    await drain(w.stages().admit, w.stages().act);
    assert.equal((await w.action(actionId)).state, 'Failed');
    const [event] = await suite.db.query<{ message: string }>(
      `SELECT data ->> 'message' AS message FROM incident_events WHERE incident_id = $1 AND reason = 'too-many-requests'`,
      [incidentId],
    );
    assert.match(event?.message ?? '', /disruption budget keep/);
  });
});
