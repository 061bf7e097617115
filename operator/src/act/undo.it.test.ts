import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drain } from '@hephaisto/test/stage-deps';
import { verifies } from '@hephaisto/test/verifies';
import { createVerifyStage } from '../flow/8-verify/stage.ts';
import { template } from './testing/fake-cluster.ts';
import { approve, neverHeals, run, untilChecksAreDue, worlds } from './testing/fresh-world.ts';
import { PATCH, RESTART } from './testing/world.ts';

describe('a repair that does not help', () => {
  const suite = worlds();

  it('a fix that fails: the last check fails, exactly the prior spec is put back, and that is checked', async () => {
    verifies('H3-6', 'H3-23', 'H3-67', 'H3-70');
    const w = await suite.world({ mode: 'approve' });
    const before = structuredClone(w.cluster.spec());
    neverHeals(w.cluster);
    const { incidentId, actionId } = await w.propose(PATCH);
    await run(w);
    await approve(w, actionId);
    await suite.db.execute(`UPDATE budgets SET limit_value = 0`);
    await run(w);
    assert.deepEqual(await w.incident(incidentId), {
      state: 'Escalated',
      escalation_reason: 'VerificationFailed',
      rollback_sub_reason: 'RolledBack',
      resolution_source: null,
    });
    assert.equal((await w.action(actionId)).state, 'RolledBack');
    assert.deepEqual(w.cluster.spec(), before);
    const results = await suite.db.query(
      'SELECT subject, question, result FROM verifications WHERE action_id = $1 ORDER BY subject, attempt',
      [actionId],
    );
    assert.deepEqual(results, [
      { subject: 'action', question: 'obvious_break', result: 'Inconclusive' },
      { subject: 'action', question: 'converged', result: 'Inconclusive' },
      { subject: 'action', question: 'came_back', result: 'Failed' },
      { subject: 'rollback', question: 'restored', result: 'Passed' },
    ]);
  });

  it('an undo is blocked when somebody changed the value since, and says so', async () => {
    const w = await suite.world();
    neverHeals(w.cluster);
    const { incidentId } = await w.propose(PATCH);
    const { admit, act, verify } = w.stages();
    await drain(admit, act);
    w.cluster.edit('deployments', 'checkout', (object) => {
      (object.spec as Record<string, unknown>).template = template('app:10');
    });
    await untilChecksAreDue();
    await drain(verify, act);
    assert.equal((await w.incident(incidentId)).rollback_sub_reason, 'RollbackBlocked');
    assert.deepEqual(w.cluster.spec().template, template('app:10'));
    assert.equal(w.cluster.real.length, 1);
  });

  it('an emergency stop blocks the undo; a mode of observe does not', async () => {
    for (const [name, value, expected] of [
      ['emergency_stop', 'on', 'RollbackBlocked'],
      ['agent_mode', 'observe', 'RolledBack'],
    ] as const) {
      const w = await suite.world();
      neverHeals(w.cluster);
      const { incidentId } = await w.propose(PATCH);
      const { admit, act, verify } = w.stages();
      await drain(admit, act);
      await suite.db.execute('UPDATE switches SET value = $2 WHERE name = $1', [name, value]);
      await untilChecksAreDue();
      await drain(verify, act, verify);
      assert.equal((await w.incident(incidentId)).rollback_sub_reason, expected, name);
    }
  });

  it('a restarted pod that did not help has nothing to undo', async () => {
    const w = await suite.world();
    w.alerts.current = { kind: 'answered', firing: [] };
    const { incidentId } = await w.propose(RESTART);
    w.cluster.edit('deployments', 'checkout', (object) => {
      (object.status as Record<string, unknown>).readyReplicas = 2;
    });
    await run(w);
    assert.deepEqual([(await w.incident(incidentId)).rollback_sub_reason, w.cluster.real.length], ['NothingToUndo', 1]);
  });

  it('an API server that hangs at the last check reverts nothing', async () => {
    verifies('H3-69', 'H3-6');
    const w = await suite.world();
    const { incidentId, actionId } = await w.propose(PATCH);
    const { admit, act, verify } = w.stages();
    await drain(admit, act);
    w.cluster.readFailure = { kind: 'failure', reason: 'timeout', message: 'timed out' };
    await untilChecksAreDue();
    await drain(verify, act);
    assert.deepEqual(
      [(await w.incident(incidentId)).escalation_reason, (await w.action(actionId)).state],
      ['VerificationInconclusive', 'Inconclusive'],
    );
    assert.equal(w.cluster.real.length, 1);
  });

  it('an API server that does not answer for a moment decides nothing: the last check is asked again', async () => {
    verifies('H3-6');
    const w = await suite.world();
    const patient = createVerifyStage({ ...w.deps, settings: { ...w.deps.settings, patienceMs: 60_000 } });
    const { incidentId, actionId } = await w.propose(PATCH);
    const { admit, act } = w.stages();
    await drain(admit, act);
    w.cluster.readFailure = { kind: 'failure', reason: 'server-error', message: 'not now', status: 503 };
    await untilChecksAreDue();
    await drain(patient);
    assert.equal((await w.action(actionId)).state, 'Verifying');
    w.cluster.readFailure = undefined;
    await drain(patient);
    assert.deepEqual(
      [(await w.incident(incidentId)).state, (await w.action(actionId)).state],
      ['Resolved', 'Verified'],
    );
  });

  it('an undo whose answer was lost is read back too', async () => {
    const w = await suite.world();
    neverHeals(w.cluster);
    w.cluster.interfere = () =>
      w.cluster.real.length === 2 ? { afterwards: { kind: 'failure', reason: 'timeout', message: 'late' } } : undefined;
    const { incidentId, actionId } = await w.propose(PATCH);
    await run(w);
    assert.deepEqual(
      [(await w.action(actionId)).state, (await w.incident(incidentId)).rollback_sub_reason, w.cluster.real.length],
      ['RolledBack', 'RolledBack', 2],
    );
  });

  it('an incident that a person closed while it was verified keeps its checks and its undo', async () => {
    const w = await suite.world();
    neverHeals(w.cluster);
    const { incidentId, actionId } = await w.propose(PATCH);
    await drain(w.stages().admit, w.stages().act);
    await suite.db.transaction((tx) =>
      w.deps.incidents.transition(tx, {
        actor: 'person:ada',
        origin: 'api',
        incidentId,
        edge: 'I18',
        reason: 'closed',
        resolutionSource: 'human',
      }),
    );
    await run(w);
    assert.deepEqual(
      [(await w.action(actionId)).state, (await w.incident(incidentId)).state],
      ['RolledBack', 'Resolved'],
    );
  });
});
