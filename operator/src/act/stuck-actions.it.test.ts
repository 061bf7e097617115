import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drain } from '@hephaisto/test/stage-deps';
import { actionsOf } from '../flow/9-report/actions.ts';
import { approve, neverHeals, untilChecksAreDue, worlds } from './testing/fresh-world.ts';
import { PATCH, type World } from './testing/world.ts';

async function makeUnknown(w: World, actionId: string): Promise<void> {
  await w.db.execute(`UPDATE actions SET params = params || '{"planted":true}' WHERE id = $1`, [actionId]);
}

async function passes(w: World, times: number): Promise<void> {
  const { signal } = new AbortController();
  for (let pass = 0; pass < times; pass += 1) for (const stage of Object.values(w.stages())) await stage.pass(signal);
}

describe('an action that no stage can work on', () => {
  const suite = worlds();

  const STATES: readonly (readonly [string, (w: World, id: string) => Promise<unknown>, string, string])[] = [
    ['Approved', (w, id) => drain(w.stages().admit).then(() => approve(w, id)), 'Refused', 'AdmissionRefused'],
    [
      'Admitted',
      (w, id) =>
        drain(w.stages().admit)
          .then(() => approve(w, id))
          .then(() => drain(w.stages().admit)),
      'Refused',
      'ActionFailed',
    ],
    ['AwaitingApproval', (w) => drain(w.stages().admit), 'Withdrawn', 'AdmissionRefused'],
  ];
  for (const [state, reach, end, escalation] of STATES)
    it(`ends visibly when it no longer parses in state ${state}`, async () => {
      const w = await suite.world({ mode: 'approve' });
      const { incidentId, actionId } = await w.propose(PATCH);
      await reach(w, actionId);
      assert.equal((await w.action(actionId)).state, state);
      await makeUnknown(w, actionId);
      // Moves the proposal's target, so that an open proposal is compared with the world again.
      w.cluster.edit('deployments', 'checkout', (object) => Object.assign(object.spec as object, { replicas: 5 }));
      await passes(w, 2);
      assert.deepEqual(
        [(await w.action(actionId)).state, (await w.incident(incidentId)).escalation_reason, w.cluster.real.length],
        [end, escalation, 0],
      );
      const [event] = await suite.db.query<{ message: string }>(
        `SELECT data ->> 'message' AS message FROM incident_events WHERE incident_id = $1 AND reason = 'unsupported'`,
        [incidentId],
      );
      assert.match(event?.message ?? '', /planted/);
    });

  it('ends as inconclusive when it no longer parses while it is verified, and as blocked when it waits for its undo', async () => {
    const verifying = await suite.world();
    const first = await verifying.propose(PATCH);
    await drain(verifying.stages().admit, verifying.stages().act);
    await makeUnknown(verifying, first.actionId);
    await untilChecksAreDue();
    await drain(verifying.stages().verify);
    assert.equal((await verifying.incident(first.incidentId)).escalation_reason, 'VerificationInconclusive');
    const undoing = await suite.world();
    neverHeals(undoing.cluster);
    const second = await undoing.propose(PATCH);
    await drain(undoing.stages().admit, undoing.stages().act);
    await untilChecksAreDue();
    await drain(undoing.stages().verify);
    await makeUnknown(undoing, second.actionId);
    await passes(undoing, 2);
    assert.equal((await undoing.incident(second.incidentId)).rollback_sub_reason, 'RollbackBlocked');
  });

  it('is given up after a bounded number of failures, and its incident goes to a person', async () => {
    const w = await suite.world();
    const { incidentId, actionId } = await w.propose(PATCH);
    await drain(w.stages().admit);
    let calls = 0;
    w.cluster.interfere = () => {
      calls += 1;
      throw new Error('a bug that every try meets');
    };
    await passes(w, 10);
    assert.equal(calls, 3);
    assert.deepEqual(
      [(await w.action(actionId)).state, (await w.incident(incidentId)).escalation_reason],
      ['Refused', 'ActionFailed'],
    );
    const [shown] = await actionsOf(suite.db, incidentId);
    assert.match(shown?.failing?.message ?? '', /gave up after 3 failures: a bug that every try meets/);
    assert.notEqual(shown?.failing?.deadLetterAt, null);
  });

  it('keeps its unknown outcome when it is given up behind a call that may have been sent', async () => {
    const w = await suite.world();
    const { incidentId, actionId } = await w.propose(PATCH);
    await drain(w.stages().admit);
    w.cluster.interfere = ({ dryRun }) => {
      if (!dryRun) throw new Error('broken');
      return undefined;
    };
    w.cluster.object = () => {
      throw new Error('still broken');
    };
    await passes(w, 10);
    assert.deepEqual(
      [(await w.action(actionId)).state, (await w.incident(incidentId)).escalation_reason, w.cluster.real.length],
      ['Unknown', 'OutcomeUnknown', 1],
    );
  });

  it('gives up a target that moves under every dry run', async () => {
    const w = await suite.world({ mode: 'approve', settings: { patienceMs: 0 } });
    w.cluster.interfere = () => {
      w.cluster.edit('deployments', 'checkout', (object) =>
        Object.assign(object.status as object, { observedGeneration: 3 }),
      );
      return undefined;
    };
    const { actionId } = await w.propose(PATCH);
    await suite.db.execute(`UPDATE actions SET state_since = state_since - interval '1 hour' WHERE id = $1`, [
      actionId,
    ]);
    await passes(w, 2);
    const action = await w.action(actionId);
    assert.deepEqual([action.state, action.decision_reasons.at(-1)], ['DryRunFailed', 'target_moved']);
  });
});
