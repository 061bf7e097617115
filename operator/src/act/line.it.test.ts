import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Database, StoreUnavailable } from '@hephaisto/core/ports/database';
import { createTestDatabase, type TestDatabase } from '@hephaisto/test/database';
import { drain } from '@hephaisto/test/stage-deps';
import { verifies } from '@hephaisto/test/verifies';
import { decideProposal } from '../commands/proposal-decide.ts';
import { reviseProposal } from '../commands/proposal-revise.ts';
import { createAdmitStage } from '../flow/6-admit/stage.ts';
import { createActStage } from '../flow/7-act/stage.ts';
import { template } from './testing/fake-cluster.ts';
import { makeWorld, PATCH, RESTART, ROLLBACK, testPolicy, type World } from './testing/world.ts';

const FAST = testPolicy({ verification: { times: ['1ms', '2ms', '3ms'] } });

let db: TestDatabase;
let isolated = 0;

/** One database for the file; each test starts on rows of its own, so only switches, budgets and the workload are wiped. */
async function world(options: Parameters<typeof makeWorld>[1] = {}): Promise<World> {
  await wipe(db);
  isolated += 1;
  return await makeWorld(db, { policy: FAST, ...options });
}

async function wipe(database: Database): Promise<void> {
  await database.execute(
    `UPDATE workloads SET cooldown_until = NULL, cooldown_action_id = NULL, quarantined_until = NULL`,
  );
  await database.execute('DELETE FROM budget_entries');
  await database.execute(`DELETE FROM switches`);
}

async function run({ stages }: World): Promise<void> {
  const { admit, act, verify } = stages();
  for (let round = 0; round < 6; round += 1) {
    await drain(admit, act);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await drain(verify, act);
  }
}

async function approve(w: World, actionId: string, actor = 'person:ada') {
  const open = await w.openProposal(actionId);
  return await decideProposal(w.deps, {
    proposalId: open.id,
    decision: 'approve',
    digest: open.digest,
    actor,
    source: 'api',
  });
}

describe('from plan to verified repair', () => {
  before(async () => {
    db = await createTestDatabase();
  });
  after(() => db.close());

  it('Allow goes dry run, call, three checks, Resolved; the real call has the body of the dry run', async () => {
    verifies('H3-5', 'H3-6', 'H3-23', 'H3-72');
    const w = await world();
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
    const results = await db.query('SELECT question, result FROM verifications WHERE action_id = $1 ORDER BY attempt', [
      actionId,
    ]);
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

  it('approve waits for a person, then goes the same way with the person stamped on it', async () => {
    verifies('H3-5', 'H3-22');
    const w = await world({ mode: 'approve' });
    const { incidentId, actionId } = await w.propose(PATCH);
    await run(w);
    assert.equal((await w.incident(incidentId)).state, 'AwaitingApproval');
    assert.deepEqual(
      w.cluster.sent.map(({ dryRun }) => dryRun),
      [true],
    );
    const [proposal] = await db.query<{ canonical: string; dry_run: { diff: unknown } }>(
      'SELECT canonical, dry_run FROM proposals WHERE action_id = $1',
      [actionId],
    );
    assert.deepEqual(proposal?.dry_run.diff, [
      { path: 'spec.template.spec.containers[app].resources.limits.memory', from: '128Mi', to: '256Mi' },
    ]);
    assert.equal(JSON.parse(proposal?.canonical ?? '{}').type, 'PatchResources');
    const voted = await approve(w, actionId);
    assert.deepEqual(voted.kind === 'voted' && [voted.proposal.state, voted.votes, voted.quorum], ['Approved', 1, 1]);
    await run(w);
    assert.equal((await w.incident(incidentId)).state, 'Resolved');
    const annotations = w.cluster.annotations();
    assert.equal(annotations['hephaisto.io/approved-by'], 'person:ada');
    assert.equal(annotations['hephaisto.io/action-id'], actionId);
  });

  it('two approvers: one vote leaves it open, the same person’s second is refused, another’s executes', async () => {
    const w = await world({
      mode: 'approve',
      policy: testPolicy({ verification: { times: ['1ms', '2ms', '3ms'] } }, { quorum: 2 }),
    });
    const { incidentId, actionId } = await w.propose(PATCH);
    await run(w);
    const first = await approve(w, actionId);
    assert.deepEqual(first.kind === 'voted' && [first.proposal.state, first.votes, first.quorum], ['Open', 1, 2]);
    const again = await approve(w, actionId);
    assert.equal(again.kind === 'refused' && again.reason, 'already-voted');
    await run(w);
    assert.equal(w.cluster.real.length, 0);
    await approve(w, actionId, 'person:bob');
    await run(w);
    assert.equal((await w.incident(incidentId)).state, 'Resolved');
    const annotations = w.cluster.annotations();
    assert.equal(annotations['hephaisto.io/approved-by'], 'person:ada,person:bob');
  });

  it('a denial needs a reason, escalates, and can be asked for again by a person, who may vote', async () => {
    const w = await world({ mode: 'approve' });
    const { incidentId, actionId } = await w.propose(PATCH);
    await run(w);
    const open = await w.openProposal(actionId);
    const deny = {
      proposalId: open.id,
      decision: 'deny' as const,
      digest: open.digest,
      actor: 'person:bob',
      source: 'console' as const,
    };
    const bare = await decideProposal(w.deps, deny);
    assert.equal(bare.kind === 'refused' && bare.reason, 'reason-required');
    await decideProposal(w.deps, { ...deny, reason: 'not now' });
    assert.deepEqual(
      [(await w.incident(incidentId)).escalation_reason, (await w.action(actionId)).state],
      ['Denied', 'Rejected'],
    );
    const late = await approve2(w, open);
    assert.deepEqual(late.kind === 'refused' && [late.reason, late.details?.by, late.details?.state], [
      'already-decided',
      'person:bob',
      'Denied',
    ]);
    const revised = await reviseProposal(w.deps, { proposalId: open.id, actor: 'person:ada', reason: 'now' });
    assert.equal(revised.kind === 'revised' && revised.revision, 2);
    assert.equal((await w.incident(incidentId)).state, 'AwaitingApproval');
    await approve(w, actionId);
    await run(w);
    assert.equal((await w.incident(incidentId)).state, 'Resolved');
  });

  async function approve2(w: World, open: { id: string; digest: string }) {
    return await decideProposal(w.deps, {
      proposalId: open.id,
      decision: 'approve',
      digest: open.digest,
      actor: 'person:ada',
      source: 'api',
    });
  }

  it('the clock denies too: ApprovalTimeout, and a later vote is told so', async () => {
    verifies('H3-22');
    const w = await world({ mode: 'approve' });
    const { incidentId, actionId } = await w.propose(PATCH);
    await run(w);
    const open = await w.openProposal(actionId);
    await db.moveClock('61 minutes');
    try {
      const late = await approve2(w, open);
      assert.deepEqual(late.kind === 'refused' && [late.reason, late.details?.state], ['already-decided', 'Expired']);
      assert.deepEqual(
        [(await w.incident(incidentId)).escalation_reason, (await w.action(actionId)).state],
        ['ApprovalTimeout', 'ApprovalExpired'],
      );
    } finally {
      await db.moveClock('0');
    }
  });

  it('the sweep expires without anybody voting', async () => {
    const w = await world({ mode: 'approve' });
    const { incidentId } = await w.propose(PATCH);
    await run(w);
    await db.moveClock('61 minutes');
    try {
      await drain(w.stages().admit);
      assert.equal((await w.incident(incidentId)).escalation_reason, 'ApprovalTimeout');
    } finally {
      await db.moveClock('0');
    }
  });

  it('a wrong digest is no vote', async () => {
    const w = await world({ mode: 'approve' });
    const { actionId } = await w.propose(PATCH);
    await run(w);
    const open = await w.openProposal(actionId);
    const wrong = await approve2(w, { ...open, digest: '0'.repeat(64) });
    assert.equal(wrong.kind === 'refused' && wrong.reason, 'digest-mismatch');
    assert.equal((await w.action(actionId)).state, 'AwaitingApproval');
  });

  it('target scaled while approval waits: 409 with the delta, a new revision, approved, done', async () => {
    const w = await world({ mode: 'approve', settings: { recheckMs: 3_600_000 } });
    const { incidentId, actionId } = await w.propose(PATCH);
    const { admit, act, verify } = w.stages();
    await drain(admit);
    const open = await w.openProposal(actionId);
    w.cluster.edit('deployments', 'checkout', (object) => {
      (object.spec as Record<string, unknown>).replicas = 6;
      w.cluster.settle(object);
    });
    const moved = await approve2(w, open);
    assert.equal(moved.kind === 'refused' && moved.reason, 'target-changed');
    const details = moved.kind === 'refused' ? moved.details : undefined;
    assert.deepEqual(details?.delta, [{ path: 'spec.replicas', from: 4, to: 6 }]);
    const next = await w.openProposal(actionId);
    assert.deepEqual([next.revision, details?.newProposalId], [2, next.id]);
    const stale = await approve2(w, open);
    assert.deepEqual(stale.kind === 'refused' && [stale.reason, stale.details?.newProposalId], [
      'target-changed',
      next.id,
    ]);
    await approve2(w, next);
    await drain(admit, act);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await drain(verify);
    assert.equal((await w.incident(incidentId)).state, 'Resolved');
    const edges = await db.query<{ edge: string }>(
      `SELECT edge FROM incident_events WHERE incident_id = $1 AND kind = 'transition' ORDER BY seq`,
      [incidentId],
    );
    assert.deepEqual(
      edges.map(({ edge }) => edge),
      ['I1', 'I2', 'I5', 'I7', 'I23', 'I10', 'I12', 'I14'],
    );
  });

  it('another template pushed while approval waits: Void, AdmissionRefused, and no revision of it', async () => {
    const w = await world({ mode: 'approve' });
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
    const late = await approve2(w, open);
    assert.deepEqual(late.kind === 'refused' && [late.reason, late.details?.state], ['already-decided', 'Void']);
    const revised = await reviseProposal(w.deps, { proposalId: open.id, actor: 'person:ada', reason: 'again' });
    assert.equal(revised.kind === 'refused' && revised.reason, 'target-changed');
    assert.equal(w.cluster.real.length, 0);
  });

  it('a fix that fails: the last check fails, exactly the prior spec is put back, and that is checked', async () => {
    verifies('H3-6', 'H3-23', 'H3-67', 'H3-70');
    const w = await world({ mode: 'approve' });
    const before = structuredClone(w.cluster.spec());
    w.cluster.react = (object) => {
      w.cluster.settle(object);
      (object.status as Record<string, unknown>).readyReplicas = 0;
    };
    const { incidentId, actionId } = await w.propose(PATCH);
    await run(w);
    await approve(w, actionId);
    await db.execute(`UPDATE budgets SET limit_value = 0`);
    await run(w);
    assert.deepEqual(await w.incident(incidentId), {
      state: 'Escalated',
      escalation_reason: 'VerificationFailed',
      rollback_sub_reason: 'RolledBack',
      resolution_source: null,
    });
    assert.equal((await w.action(actionId)).state, 'RolledBack');
    assert.deepEqual(w.cluster.spec(), before);
    const results = await db.query(
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
    const w = await world();
    w.cluster.react = (object) => {
      w.cluster.settle(object);
      (object.status as Record<string, unknown>).readyReplicas = 0;
    };
    const { incidentId } = await w.propose(PATCH);
    const { admit, act, verify } = w.stages();
    await drain(admit, act);
    w.cluster.edit('deployments', 'checkout', (object) => {
      (object.spec as Record<string, unknown>).template = template('app:10');
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
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
      const w = await world();
      w.cluster.react = (object) => {
        w.cluster.settle(object);
        (object.status as Record<string, unknown>).readyReplicas = 0;
      };
      const { incidentId } = await w.propose(PATCH);
      const { admit, act, verify } = w.stages();
      await drain(admit, act);
      await db.execute('UPDATE switches SET value = $2 WHERE name = $1', [name, value]);
      await new Promise((resolve) => setTimeout(resolve, 5));
      await drain(verify, act, verify);
      assert.equal((await w.incident(incidentId)).rollback_sub_reason, expected, name);
    }
  });

  it('a restarted pod that did not help has nothing to undo', async () => {
    const w = await world();
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
    const w = await world();
    const { incidentId, actionId } = await w.propose(PATCH);
    const { admit, act, verify } = w.stages();
    await drain(admit, act);
    w.cluster.readFailure = { kind: 'failure', reason: 'timeout', message: 'timed out' };
    await new Promise((resolve) => setTimeout(resolve, 5));
    await drain(verify, act);
    assert.deepEqual(
      [(await w.incident(incidentId)).escalation_reason, (await w.action(actionId)).state],
      ['VerificationInconclusive', 'Inconclusive'],
    );
    assert.equal(w.cluster.real.length, 1);
  });

  it('a dry run that the server refuses is never followed by the call', async () => {
    verifies('H3-5');
    const w = await world();
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

  it('in observe nothing is sent, in dryrun only the dry run, in off nothing', async () => {
    verifies('H3-61', 'H3-62');
    for (const [mode, writes, action, escalation] of [
      ['off', [], 'Denied', 'ObserveOnly'],
      ['observe', [], 'Denied', 'ObserveOnly'],
      ['dryrun', [true], 'DryRunOk', 'ObserveOnly'],
    ] as const) {
      const w = await world({ mode });
      const { incidentId, actionId } = await w.propose(PATCH);
      await run(w);
      assert.deepEqual(
        w.cluster.sent.map(({ dryRun }) => dryRun),
        writes,
        mode,
      );
      assert.deepEqual(
        [(await w.action(actionId)).state, (await w.incident(incidentId)).escalation_reason],
        [action, escalation],
        mode,
      );
    }
  });

  it('each switch arm alone stops acting, and the safest wins', async () => {
    verifies('H3-59', 'H3-60', 'H3-63');
    const arms: readonly [string, (w: World) => unknown][] = [
      ['environment', (w) => Object.assign(w.environment, { current: { agent_mode: 'observe' } })],
      ['environment stop', (w) => Object.assign(w.environment, { current: { emergency_stop: 'on' } })],
      [
        'configmap',
        (w) => Object.assign(w.configMap, { current: { kind: 'read', values: { agent_mode: 'observe' } } }),
      ],
      ['configmap unreadable', (w) => Object.assign(w.configMap, { current: { kind: 'unreadable', why: '403' } })],
      [
        'configmap garbage',
        (w) => Object.assign(w.configMap, { current: { kind: 'read', values: { agent_mode: 'yes please' } } }),
      ],
      ['configmap empty', (w) => Object.assign(w.configMap, { current: { kind: 'read', values: {} } })],
      ['row', (w) => w.db.execute(`UPDATE switches SET value = 'observe' WHERE name = 'agent_mode'`)],
      ['row missing', (w) => w.db.execute(`DELETE FROM switches WHERE name = 'agent_mode'`)],
      ['row stop', (w) => w.db.execute(`UPDATE switches SET value = 'on' WHERE name = 'emergency_stop'`)],
      [
        'kind',
        (w) =>
          w.db.execute(
            `INSERT INTO switches (name, value, set_by) VALUES ('action_mode:PatchResources', 'observe', 'person:ada')`,
          ),
      ],
    ];
    for (const [name, set] of arms) {
      const w = await world();
      await set(w);
      const { actionId } = await w.propose(PATCH);
      await run(w);
      assert.deepEqual([w.cluster.sent.length, (await w.action(actionId)).state], [0, 'Denied'], name);
    }
    const other = await world();
    await other.db.execute(
      `INSERT INTO switches (name, value, set_by) VALUES ('action_mode:ScaleWorkload', 'observe', 'person:ada')`,
    );
    const { actionId } = await other.propose(PATCH);
    await run(other);
    assert.equal((await other.action(actionId)).state, 'Verified');
  });

  it('a switch turned while approval waits makes the proposal void', async () => {
    const w = await world({ mode: 'approve' });
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
    const cases: readonly [string, (w: World) => void][] = [
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
      [
        'cluster_unhealthy',
        (w) => {
          for (const name of ['b', 'c', 'd'])
            w.cluster.edit('pods', `checkout-${name}`, (o) => Object.assign(o.status as object, { conditions: [] }));
        },
      ],
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
      const w = await world({ policy: testPolicy({ clusterHealth: { maxUnreadyPods: 0.3 } }) });
      const { incidentId, actionId } = await w.propose(PATCH);
      const { admit, act } = w.stages();
      await drain(admit);
      assert.equal((await w.action(actionId)).state, 'Admitted', reason);
      change(w);
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
    const once = await world();
    let left = 1;
    once.cluster.interfere = ({ dryRun }) => {
      if (!dryRun && left-- > 0) touch(once);
      return undefined;
    };
    const first = await once.propose(PATCH);
    await run(once);
    assert.deepEqual([(await once.action(first.actionId)).state, once.cluster.real.length], ['Verified', 2]);

    const always = await world();
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

  it('a lost answer is read back and never sent again', async () => {
    verifies('H4-20');
    const timeout = { kind: 'failure', reason: 'timeout', message: 'no answer in time' } as const;
    for (const [how, meddled, state, incident] of [
      ['the answer was lost', { afterwards: timeout }, 'Verified', 'Resolved'],
      ['the call was lost', { instead: timeout }, 'Failed', 'Escalated'],
    ] as const) {
      const w = await world();
      w.cluster.interfere = ({ dryRun }) => (dryRun ? undefined : meddled);
      const { incidentId, actionId } = await w.propose(PATCH);
      await run(w);
      assert.deepEqual(
        [(await w.action(actionId)).state, (await w.incident(incidentId)).state, w.cluster.real.length],
        [state, incident, 1],
        how,
      );
      const [attempt] = await db.query(
        `SELECT outcome, readback FROM action_attempts WHERE action_id = $1 AND phase = 'execute'`,
        [actionId],
      );
      assert.deepEqual(attempt, { outcome: 'unknown', readback: state === 'Failed' ? 'not_applied' : 'applied' }, how);
    }
  });

  it('an outcome that cannot be read back stays unknown and goes to a person', async () => {
    const w = await world();
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
      const w = await world();
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

  it('an undo whose answer was lost is read back too', async () => {
    const w = await world();
    w.cluster.react = (object) => {
      w.cluster.settle(object);
      (object.status as Record<string, unknown>).readyReplicas = 0;
    };
    w.cluster.interfere = () =>
      w.cluster.real.length === 2 ? { afterwards: { kind: 'failure', reason: 'timeout', message: 'late' } } : undefined;
    const { incidentId, actionId } = await w.propose(PATCH);
    await run(w);
    assert.deepEqual(
      [(await w.action(actionId)).state, (await w.incident(incidentId)).rollback_sub_reason, w.cluster.real.length],
      ['RolledBack', 'RolledBack', 2],
    );
  });

  it('an action type that nobody knows is unsupported before any call', async () => {
    verifies('H3-14');
    const w = await world();
    const { incidentId, actionId } = await w.propose(PATCH);
    await db.execute(`UPDATE actions SET type = 'CordonNode' WHERE id = $1`, [actionId]);
    await run(w);
    assert.deepEqual(
      [(await w.action(actionId)).state, (await w.incident(incidentId)).escalation_reason, w.cluster.sent.length],
      ['Unsupported', 'PolicyDeny', 0],
    );
    const [attempt] = await db.query('SELECT outcome FROM action_attempts WHERE action_id = $1', [actionId]);
    assert.deepEqual(attempt, { outcome: 'unsupported' });
  });

  it('params that carry more than typed values never reach the cluster', async () => {
    verifies('H3-15', 'H3-16');
    const w = await world();
    const { actionId } = await w.propose(PATCH);
    await db.execute(
      `UPDATE actions SET params = params || '{"namespace":"kube-system","verb":"delete"}'::jsonb WHERE id = $1`,
      [actionId],
    );
    await run(w);
    assert.deepEqual([(await w.action(actionId)).state, w.cluster.sent.length], ['Unsupported', 0]);
  });

  it('a pod that is a little too young is waited for, and then acted on', async () => {
    const w = await world({ policy: testPolicy({}, { podAge: '1h' }) });
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

  it('an incident that a person closed before the call was sent gets no call', async () => {
    const w = await world();
    const { incidentId, actionId } = await w.propose(PATCH);
    await drain(w.stages().admit);
    await db.transaction((tx) =>
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

  it('an incident that a person closed while it was verified keeps its checks and its undo', async () => {
    const w = await world();
    w.cluster.react = (object) => {
      w.cluster.settle(object);
      (object.status as Record<string, unknown>).readyReplicas = 0;
    };
    const { incidentId, actionId } = await w.propose(PATCH);
    await drain(w.stages().admit, w.stages().act);
    await db.transaction((tx) =>
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

  it('without the database nothing is sent', async () => {
    verifies('H3-60');
    const w = await world();
    await w.propose(PATCH);
    await drain(w.stages().admit);
    const away = () => Promise.reject(new StoreUnavailable('the database is away', { outcome: 'none' }));
    const act = createActStage({ ...w.deps, db: { ...w.deps.db, query: db.query.bind(db), transaction: away } });
    await assert.rejects(act.pass(new AbortController().signal), StoreUnavailable);
    assert.equal(w.cluster.sent.length, 0);
    await drain(w.stages().act);
  });

  it('an action that cannot be worked on does not hold up the others', async () => {
    const w = await world();
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

  it('a likely cause asks, a possible one is not acted on', async () => {
    const w = await world();
    const likely = await w.propose(PATCH, { certainty: 'likely' });
    await run(w);
    assert.equal((await w.action(likely.actionId)).state, 'AwaitingApproval');
    const possible = await w.propose(PATCH, { certainty: 'possible' });
    await run(w);
    assert.equal((await w.incident(possible.incidentId)).escalation_reason, 'LowConfidence');
    assert.equal(w.cluster.real.length, 0);
    assert.ok(isolated > 0);
  });
});
