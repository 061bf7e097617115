import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { verifies } from '@hephaisto/test/verifies';
import { template } from './testing/fake-cluster.ts';
import { run, worlds } from './testing/fresh-world.ts';
import { ROLLBACK } from './testing/world.ts';

describe('from plan to verified repair', () => {
  const suite = worlds();

  it('Allow goes dry run, call, three checks, Resolved; the real call has the body of the dry run', async () => {
    verifies('H3-5', 'H3-6', 'H3-23', 'H3-72');
    const w = await suite.world();
    const { incidentId, actionId } = await w.propose(ROLLBACK);
    await run(w);
    assert.deepEqual(await w.incident(incidentId), {
      state: 'Resolved',
      escalation_reason: null,
      rollback_sub_reason: null,
      resolution_source: 'verifier',
    });
    assert.equal((await w.action(actionId)).state, 'Verified');
    assert.deepEqual(
      w.cluster.sent.map(({ dryRun }) => dryRun),
      [true, false],
    );
    assert.deepEqual(w.cluster.sent[0]?.write, w.cluster.sent[1]?.write);
    assert.deepEqual(w.cluster.spec().template, template('app:2'));
    const results = await suite.db.query(
      'SELECT question, result FROM verifications WHERE action_id = $1 ORDER BY attempt',
      [actionId],
    );
    assert.deepEqual(results, [
      { question: 'obvious_break', result: 'Passed' },
      { question: 'converged', result: 'Passed' },
      { question: 'came_back', result: 'Passed' },
    ]);
    assert.match(
      w.cluster.mirrored[0]?.note ?? '',
      /^hephaisto: roll Deployment shop\/checkout back .*; approved by policy alone/,
    );
    assert.equal(w.cluster.mirrored[0]?.regarding.uid, 'uid-checkout');
  });
});
