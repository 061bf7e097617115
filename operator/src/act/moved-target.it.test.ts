import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestDatabase } from '@hephaisto/test/database';
import { drain } from '@hephaisto/test/stage-deps';
import { verifies } from '@hephaisto/test/verifies';
import { announcePolicy } from '../boot/announce-policy.ts';
import { reviseProposal } from '../commands/proposal-revise.ts';
import { template } from './testing/fake-cluster.ts';
import { approveShown, run, untilChecksAreDue, worlds } from './testing/fresh-world.ts';
import { countHealth, makeWorld, PATCH, ROLLBACK, testPolicy, type World } from './testing/world.ts';
import { underLease } from './under-lease.ts';

describe('the world moves meanwhile', () => {
  const suite = worlds();

  it('target scaled while approval waits: 409 with the delta, a new revision, approved, done', async () => {
    const w = await suite.world({ mode: 'approve', settings: { recheckMs: 3_600_000 } });
    const { incidentId, actionId } = await w.propose(PATCH);
    const { admit, act, verify } = w.stages();
    await drain(admit);
    const open = await w.openProposal(actionId);
    w.cluster.edit('deployments', 'checkout', (object) => {
      (object.spec as Record<string, unknown>).replicas = 6;
      w.cluster.settle(object);
    });
    const moved = await approveShown(w, open);
    assert.equal(moved.kind === 'refused' && moved.reason, 'target-changed');
    const details = moved.kind === 'refused' ? moved.details : undefined;
    assert.deepEqual(details?.delta, [{ path: 'spec.replicas', from: 4, to: 6 }]);
    const next = await w.openProposal(actionId);
    assert.deepEqual([next.revision, details?.newProposalId], [2, next.id]);
    const stale = await approveShown(w, open);
    assert.deepEqual(stale.kind === 'refused' && [stale.reason, stale.details?.newProposalId], [
      'target-changed',
      next.id,
    ]);
    await approveShown(w, next);
    await drain(admit, act);
    await untilChecksAreDue();
    await drain(verify);
    assert.equal((await w.incident(incidentId)).state, 'Resolved');
    const edges = await suite.db.query<{ edge: string }>(
      `SELECT edge FROM incident_events WHERE incident_id = $1 AND kind = 'transition' ORDER BY seq`,
      [incidentId],
    );
    assert.deepEqual(
      edges.map(({ edge }) => edge),
      ['I1', 'I2', 'I5', 'I7', 'I23', 'I10', 'I12', 'I14'],
    );
  });

  it('a target that goes on moving is never approved as it was shown: a new revision once it rests, until then 409', async () => {
    verifies('H3-64');
    for (const restlessFor of [2, Number.POSITIVE_INFINITY]) {
      const w = await suite.world({ mode: 'approve', settings: { recheckMs: 3_600_000 } });
      const { actionId } = await w.propose(PATCH);
      await drain(w.stages().admit);
      const open = await w.openProposal(actionId);
      w.cluster.edit('deployments', 'checkout', (object) => Object.assign(object.spec as object, { replicas: 6 }));
      let moves = 0;
      w.cluster.interfere = ({ dryRun }) => {
        if (!dryRun || moves >= restlessFor) return undefined;
        moves += 1;
        w.cluster.edit('deployments', 'checkout', () => undefined);
        return undefined;
      };
      const answer = await approveShown(w, open);
      const details = answer.kind === 'refused' ? answer.details : undefined;
      const next = await w.openProposal(actionId);
      const rests = Number.isFinite(restlessFor);
      assert.deepEqual(
        [answer.kind === 'refused' && answer.reason, next.revision, details?.newProposalId],
        ['target-changed', rests ? 2 : 1, rests ? next.id : null],
      );
      assert.deepEqual(details?.delta, [{ path: 'spec.replicas', from: 4, to: 6 }]);
      const votes = await suite.db.query('SELECT 1 FROM approvals WHERE proposal_id = $1', [open.id]);
      assert.equal(votes.length, 0);
    }
  });

  it('a moved target that another replica is looking at is not approved as it was shown', async () => {
    const w = await suite.world({ mode: 'approve', settings: { recheckMs: 3_600_000 } });
    const { actionId } = await w.propose(PATCH);
    await drain(w.stages().admit);
    const open = await w.openProposal(actionId);
    w.cluster.edit('deployments', 'checkout', (object) => Object.assign(object.spec as object, { replicas: 6 }));
    await underLease(w.deps, 'action', actionId, async () => {
      const answer = await approveShown(w, open);
      assert.equal(answer.kind === 'refused' && answer.reason, 'target-changed');
    });
  });

  it('another template pushed while approval waits: Void, AdmissionRefused, and no revision of it', async () => {
    const w = await suite.world({ mode: 'approve' });
    const { incidentId, actionId } = await w.propose(ROLLBACK);
    await run(w);
    const open = await w.openProposal(actionId);
    w.cluster.edit('deployments', 'checkout', (object) => {
      (object.spec as Record<string, unknown>).template = template('app:9');
    });
    await drain(w.stages().admit);
    assert.deepEqual(
      [(await w.incident(incidentId)).escalation_reason, (await w.action(actionId)).state],
      ['AdmissionRefused', 'Withdrawn'],
    );
    const late = await approveShown(w, open);
    assert.deepEqual(late.kind === 'refused' && [late.reason, late.details?.state], ['already-decided', 'Void']);
    const revised = await reviseProposal(w.deps, { proposalId: open.id, actor: 'person:ada', reason: 'again' });
    assert.equal(revised.kind === 'refused' && revised.reason, 'target-changed');
    assert.equal(w.cluster.real.length, 0);
  });

  it('a switch turned while approval waits makes the proposal void', async () => {
    const w = await suite.world({ mode: 'approve' });
    const { incidentId, actionId } = await w.propose(PATCH);
    await run(w);
    await w.db.execute(`UPDATE switches SET value = 'observe' WHERE name = 'agent_mode'`);
    await drain(w.stages().admit);
    assert.deepEqual(
      [(await w.incident(incidentId)).escalation_reason, (await w.action(actionId)).state],
      ['AdmissionRefused', 'Withdrawn'],
    );
  });

  it('what becomes true between admission and call closes the gate: no write, and the gate is named', async () => {
    verifies('H3-64');
    const cases: readonly [string, (w: World) => void | Promise<void>][] = [
      [
        'rollout_in_flight',
        (w) =>
          w.cluster.edit('deployments', 'checkout', (o) =>
            Object.assign(o.status as object, { observedGeneration: 1 }),
          ),
      ],
      [
        'pod_too_young',
        (w) =>
          w.cluster.edit('pods', 'checkout-b', (o) =>
            Object.assign(o.metadata as object, { creationTimestamp: new Date().toISOString() }),
          ),
      ],
      [
        'maintenance_window',
        (w) => {
          const windows = [
            {
              kind: 'once' as const,
              name: 'now',
              namespaces: ['shop'],
              from: '2000-01-01T00:00:00Z',
              to: '2100-01-01T00:00:00Z',
            },
          ];
          w.policy.loaded = testPolicy({ maintenance: windows });
        },
      ],
      ['cluster_unhealthy', (w) => countHealth(w.db, { pods: 40, unreadyPods: 30 })],
      [
        'target_moved',
        (w) =>
          w.cluster.edit('deployments', 'checkout', (o) =>
            Object.assign(o.spec as object, { template: template('app:9') }),
          ),
      ],
      ['emergency_stop', (w) => Object.assign(w.environment, { current: { emergency_stop: 'on' } })],
    ];
    for (const [reason, change] of cases) {
      const w = await suite.world({ policy: testPolicy({ clusterHealth: { maxUnreadyPods: 0.3 } }) });
      const { incidentId, actionId } = await w.propose(PATCH);
      const { admit, act } = w.stages();
      await drain(admit);
      assert.equal((await w.action(actionId)).state, 'Admitted', reason);
      await change(w);
      await drain(act);
      const action = await w.action(actionId);
      assert.deepEqual(
        [action.state, action.decision_reasons[0], w.cluster.real.length],
        ['Refused', reason, 0],
        reason,
      );
      assert.equal((await w.incident(incidentId)).escalation_reason, 'StabilityGate', reason);
    }
  });

  it('an object that moves under the call is read anew, at most three times', async () => {
    const touch = (w: World) =>
      w.cluster.edit('deployments', 'checkout', (o) => Object.assign(o.status as object, { readyReplicas: 3 }));
    const once = await suite.world();
    let left = 1;
    once.cluster.interfere = ({ dryRun }) => {
      if (!dryRun && left-- > 0) touch(once);
      return undefined;
    };
    const first = await once.propose(PATCH);
    await run(once);
    assert.deepEqual([(await once.action(first.actionId)).state, once.cluster.real.length], ['Verified', 2]);

    const always = await suite.world();
    always.cluster.interfere = ({ dryRun }) => {
      if (!dryRun) touch(always);
      return undefined;
    };
    const second = await always.propose(PATCH);
    await run(always);
    const action = await always.action(second.actionId);
    assert.deepEqual(
      [action.state, action.decision_reasons, always.cluster.real.length],
      ['Refused', ['target_moved'], 3],
    );
  });

  it('a pod that is a little too young is waited for, and then acted on', async () => {
    const w = await suite.world({ policy: testPolicy({}, { podAge: '1h' }) });
    const young = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    for (const name of ['a', 'b', 'c', 'd'])
      w.cluster.edit('pods', `checkout-${name}`, (o) =>
        Object.assign(o.metadata as object, { creationTimestamp: young(59) }),
      );
    const { actionId } = await w.propose(PATCH);
    await drain(w.stages().admit);
    assert.equal((await w.action(actionId)).state, 'Proposed');
    for (const name of ['a', 'b', 'c', 'd'])
      w.cluster.edit('pods', `checkout-${name}`, (o) =>
        Object.assign(o.metadata as object, { creationTimestamp: young(61) }),
      );
    await drain(w.stages().admit, w.stages().act);
    assert.equal((await w.action(actionId)).state, 'Verifying');
  });

  it('two replicas with two policies: one new revision for the one that was loaded last, voted at either, done by that one', async () => {
    verifies('H3-198');
    await using db = await createTestDatabase();
    const [before, after] = [testPolicy(), testPolicy({ note: 'another' })];
    const old = await makeWorld(db, { mode: 'approve', policy: before, settings: { recheckMs: 1 } });
    const { actionId } = await old.propose(PATCH);
    await drain(old.stages().admit);
    await announcePolicy(db, before.hash);
    await announcePolicy(db, after.hash);
    const now = await makeWorld(db, {
      mode: 'approve',
      policy: after,
      cluster: old.cluster,
      settings: { recheckMs: 1 },
    });
    for (let round = 0; round < 3; round += 1)
      for (const w of [now, old]) {
        await untilChecksAreDue();
        await drain(w.stages().admit);
      }
    const open = await old.openProposal(actionId);
    assert.equal(open.revision, 2);
    assert.equal((await approveShown(old, open)).kind, 'voted');
    await drain(old.stages().admit);
    assert.equal((await old.action(actionId)).state, 'Approved');
    await drain(now.stages().admit);
    assert.equal((await old.action(actionId)).state, 'Admitted');
  });
});
