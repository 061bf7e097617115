import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drain } from '@hephaisto/test/stage-deps';
import { verifies } from '@hephaisto/test/verifies';
import { closeIncident } from '../commands/incident-close.ts';
import { createAdmitStage } from '../flow/6-admit/stage.ts';
import { createActStage } from '../flow/7-act/stage.ts';
import { run, worlds } from './testing/fresh-world.ts';
import { PATCH, ROLLBACK } from './testing/world.ts';

describe('how a call can end', () => {
  const suite = worlds();

  it('a dry run that the server refuses is never followed by the call', async () => {
    verifies('H3-5');
    const w = await suite.world();
    w.cluster.interfere = ({ dryRun }) =>
      dryRun
        ? { instead: { kind: 'failure', reason: 'invalid', status: 422, message: 'spec.template: Invalid value' } }
        : undefined;
    const { incidentId, actionId } = await w.propose(PATCH);
    await run(w);
    assert.deepEqual(
      [(await w.incident(incidentId)).escalation_reason, (await w.action(actionId)).state],
      ['ActionFailed', 'DryRunFailed'],
    );
    assert.equal(w.cluster.real.length, 0);
  });

  it('a lost answer is read back and never sent again', async () => {
    verifies('H4-20');
    const timeout = { kind: 'failure', reason: 'timeout', message: 'no answer in time' } as const;
    for (const [how, meddled, state, incident] of [
      ['the answer was lost', { afterwards: timeout }, 'Verified', 'Resolved'],
      ['the call was lost', { instead: timeout }, 'Failed', 'Escalated'],
    ] as const) {
      const w = await suite.world();
      w.cluster.interfere = ({ dryRun }) => (dryRun ? undefined : meddled);
      const { incidentId, actionId } = await w.propose(PATCH);
      await run(w);
      assert.deepEqual(
        [(await w.action(actionId)).state, (await w.incident(incidentId)).state, w.cluster.real.length],
        [state, incident, 1],
        how,
      );
      const [attempt] = await suite.db.query(
        `SELECT outcome, readback FROM action_attempts WHERE action_id = $1 AND phase = 'execute'`,
        [actionId],
      );
      assert.deepEqual(attempt, { outcome: 'unknown', readback: state === 'Failed' ? 'not_applied' : 'applied' }, how);
    }
  });

  it('an outcome that cannot be read back stays unknown and goes to a person', async () => {
    const w = await suite.world();
    w.cluster.interfere = ({ dryRun }) => {
      if (dryRun) return undefined;
      w.cluster.readFailure = { kind: 'failure', reason: 'timeout', message: 'still no answer' };
      return { afterwards: { kind: 'failure', reason: 'cut', message: 'connection reset' } };
    };
    const { incidentId, actionId } = await w.propose(PATCH);
    await run(w);
    assert.deepEqual(
      [(await w.action(actionId)).state, (await w.incident(incidentId)).escalation_reason, w.cluster.real.length],
      ['Unknown', 'OutcomeUnknown', 1],
    );
  });

  it('a certain refusal fails without a second try', async () => {
    for (const reason of ['forbidden', 'unsent', 'too-many-requests'] as const) {
      const w = await suite.world();
      w.cluster.interfere = ({ dryRun }) =>
        dryRun ? undefined : { instead: { kind: 'failure', reason, message: reason } };
      const { incidentId, actionId } = await w.propose(PATCH);
      await run(w);
      assert.deepEqual(
        [(await w.action(actionId)).state, (await w.incident(incidentId)).escalation_reason, w.cluster.real.length],
        ['Failed', 'ActionFailed', 1],
        reason,
      );
    }
  });

  it('an action type that nobody knows is unsupported before any call', async () => {
    verifies('H3-14');
    const w = await suite.world();
    const { incidentId, actionId } = await w.propose(PATCH);
    await suite.db.execute(`UPDATE actions SET type = 'CordonNode' WHERE id = $1`, [actionId]);
    await run(w);
    assert.deepEqual(
      [(await w.action(actionId)).state, (await w.incident(incidentId)).escalation_reason, w.cluster.sent.length],
      ['Unsupported', 'PolicyDeny', 0],
    );
    const [attempt] = await suite.db.query('SELECT outcome FROM action_attempts WHERE action_id = $1', [actionId]);
    assert.deepEqual(attempt, { outcome: 'unsupported' });
  });

  it('params that carry more than typed values never reach the cluster', async () => {
    verifies('H3-15', 'H3-16');
    const w = await suite.world();
    const { actionId } = await w.propose(PATCH);
    await suite.db.execute(
      `UPDATE actions SET params = params || '{"namespace":"kube-system","verb":"delete"}'::jsonb WHERE id = $1`,
      [actionId],
    );
    await run(w);
    assert.deepEqual([(await w.action(actionId)).state, w.cluster.sent.length], ['Unsupported', 0]);
  });

  it('an incident that a person closed before the call was sent gets no call', async () => {
    const w = await suite.world();
    const { incidentId, actionId } = await w.propose(PATCH);
    await drain(w.stages().admit);
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
    await drain(w.stages().act);
    const action = await w.action(actionId);
    assert.deepEqual([action.state, action.decision_reasons, w.cluster.real.length], ['Refused', ['incident_over'], 0]);
    assert.equal((await w.incident(incidentId)).state, 'Resolved');
  });

  it('an incident that a person closes between the last look and the call gets no call', async () => {
    const w = await suite.world();
    const { incidentId, actionId } = await w.propose(PATCH);
    await drain(w.stages().admit);
    const closed: string[] = [];
    const faults = {
      async hit(point: string) {
        if (point !== 'act:dry-run-ended') return;
        const by = { actor: 'person:ada', origin: 'api' } as const;
        closed.push((await closeIncident(w.deps, { ...by, incidentId, reason: 'done by hand' })).kind);
      },
    };
    await drain(createActStage({ ...w.deps, faults }));
    const action = await w.action(actionId);
    assert.deepEqual(
      [closed, action.state, action.decision_reasons, (await w.incident(incidentId)).state],
      [['done'], 'Refused', ['incident_over'], 'Resolved'],
    );
    assert.deepEqual(
      w.cluster.sent.map(({ dryRun }) => dryRun),
      [true],
    );
    const started = await suite.db.query(`SELECT 1 FROM action_attempts WHERE action_id = $1 AND phase = 'execute'`, [
      actionId,
    ]);
    assert.equal(started.length, 0);
  });

  it('an action that cannot be worked on does not hold up the others', async () => {
    const w = await suite.world();
    const broken = await w.propose(PATCH);
    const whole = await w.propose(ROLLBACK);
    const { transition } = w.deps.incidents;
    const incidents = {
      ...w.deps.incidents,
      transition: (...args: Parameters<typeof transition>) =>
        args[1].incidentId === broken.incidentId ? Promise.reject(new Error('planted')) : transition(...args),
    };
    await createAdmitStage({ ...w.deps, incidents }).pass(new AbortController().signal);
    assert.deepEqual(
      [(await w.action(broken.actionId)).state, (await w.action(whole.actionId)).state],
      ['Proposed', 'Admitted'],
    );
    await drain(w.stages().admit, w.stages().act);
  });
});
