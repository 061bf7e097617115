import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drain } from '@hephaisto/test/stage-deps';
import { verifies } from '@hephaisto/test/verifies';
import { decideProposal } from '../commands/proposal-decide.ts';
import { reviseProposal } from '../commands/proposal-revise.ts';
import { createAdmitStage } from '../flow/6-admit/stage.ts';
import { approve, approveShown, run, worlds } from './testing/fresh-world.ts';
import { countHealth, PATCH, testPolicy } from './testing/world.ts';

describe('a person decides', () => {
  const suite = worlds();

  it('approve waits for a person, then goes the same way with the person stamped on it', async () => {
    verifies('H3-5', 'H3-22');
    const w = await suite.world({ mode: 'approve' });
    const { incidentId, actionId } = await w.propose(PATCH);
    await run(w);
    assert.equal((await w.incident(incidentId)).state, 'AwaitingApproval');
    assert.deepEqual(
      w.cluster.sent.map(({ dryRun }) => dryRun),
      [true],
    );
    const [proposal] = await suite.db.query<{ canonical: string; dry_run: { diff: unknown } }>(
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
    const w = await suite.world({
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

  it('where two people must agree a token approves only for its maker, and denies for anybody', async () => {
    const w = await suite.world({ mode: 'approve', policy: testPolicy({}, { quorum: 2 }) });
    const { actionId } = await w.propose(PATCH);
    await run(w);
    const { id: proposalId, digest } = await w.openProposal(actionId);
    const vote = { proposalId, digest, source: 'api' as const, reason: 'seen' };
    const byToken = (actor: string, tokenMadeBy: string | null, decision: 'approve' | 'deny' = 'approve') =>
      decideProposal(w.deps, { ...vote, actor, tokenMadeBy, decision });
    const own = await byToken('person:bob', 'person:bob');
    assert.equal(own.kind === 'voted' && own.votes, 1);
    for (const maker of ['person:bob', null]) {
      const borrowed = await byToken('person:ada', maker);
      assert.equal(borrowed.kind === 'refused' && borrowed.reason, 'service-vote');
    }
    const denied = await byToken('person:eve', 'person:bob', 'deny');
    assert.equal(denied.kind === 'voted' && denied.proposal.state, 'Denied');
  });

  for (const order of ['maker first', 'maker last'] as const)
    it(`an approval in a session whose link another voter made is not a second person: ${order}`, async () => {
      const w = await suite.world({ mode: 'approve', policy: testPolicy({}, { quorum: 2 }) });
      const { actionId } = await w.propose(PATCH);
      await run(w);
      const { id: proposalId, digest } = await w.openProposal(actionId);
      const vote = { proposalId, digest, source: 'console' as const, decision: 'approve' as const };
      const byMaker = () => decideProposal(w.deps, { ...vote, actor: 'person:ada', linkMadeBy: null });
      const asOther = () => decideProposal(w.deps, { ...vote, actor: 'person:bob', linkMadeBy: 'person:ada' });
      const [first, second] = order === 'maker first' ? [byMaker, asOther] : [asOther, byMaker];
      const counted = await first();
      assert.equal(counted.kind === 'voted' && counted.votes, 1);
      const refused = await second();
      assert.equal(refused.kind === 'refused' && refused.reason, 'already-voted', order);
      const twice = await decideProposal(w.deps, { ...vote, actor: 'person:eve', linkMadeBy: 'person:ada' });
      assert.equal(twice.kind === 'refused' && twice.reason, 'already-voted', 'two sessions of one maker');
      const [audit] = await suite.db.query<{ actor: string; maker: string }>(
        `SELECT actor, detail ->> 'credentialMadeBy' AS maker FROM audit_log WHERE verb = 'proposal.approve' AND detail ->> 'proposal' = $1
         AND actor = 'person:bob'`,
        [proposalId],
      );
      assert.deepEqual(audit, order === 'maker first' ? undefined : { actor: 'person:bob', maker: 'person:ada' });
      const other = await decideProposal(w.deps, { ...vote, actor: 'person:eve', linkMadeBy: null });
      assert.equal(other.kind === 'voted' && other.proposal.state, 'Approved');
      await run(w);
    });

  it('two accounts of one person are one vote, and the database refuses an approval that counts them twice', async () => {
    const w = await suite.world({ mode: 'approve', policy: testPolicy({}, { quorum: 2 }) });
    await suite.db.execute(
      `INSERT INTO principals (subject, kind, display_name, person) VALUES ('kubernetes:ada', 'person', 'Ada', 'person:ada')`,
    );
    const { actionId } = await w.propose(PATCH);
    await run(w);
    const shown = await w.openProposal(actionId);
    await approve(w, actionId);
    const again = await approve(w, actionId, 'kubernetes:ada');
    assert.deepEqual(again.kind === 'refused' && [again.reason, again.details?.by], ['already-voted', 'person:ada']);
    await assert.rejects(
      suite.db.transaction(async (tx) => {
        await tx.execute(
          `INSERT INTO approvals (id, proposal_id, decision, actor, source, subject_sha256)
           VALUES (gen_random_uuid(), $1, 'approve', 'kubernetes:ada', 'api', $2)`,
          [shown.id, shown.digest],
        );
        await tx.execute(`UPDATE proposals SET state = 'Approved', settled_at = app_now() WHERE id = $1`, [shown.id]);
      }),
      /1 of 2 people/,
    );
    const other = await approve(w, actionId, 'person:bob');
    assert.equal(other.kind === 'voted' && other.proposal.state, 'Approved');
  });

  it('a service has no vote unless the policy says so, and then votes as the person who made it', async () => {
    const policy = (serviceVotes: boolean) =>
      testPolicy({ verification: { times: ['1ms', '2ms', '3ms'] } }, { quorum: 2, serviceVotes });
    const w = await suite.world({ mode: 'approve', policy: policy(false) });
    await suite.db.execute(
      `INSERT INTO principals (subject, kind, display_name, person) VALUES ('ci', 'service', 'ci', 'person:ada')`,
    );
    const { actionId } = await w.propose(PATCH);
    await run(w);
    const barred = await approve(w, actionId, 'ci');
    assert.equal(barred.kind === 'refused' && barred.reason, 'service-vote');
    await approve(w, actionId);
    await approve(w, actionId, 'person:bob');
    await run(w);
    const open = await suite.world({ mode: 'approve', policy: policy(true) });
    const second = await open.propose(PATCH);
    await run(open);
    const voted = await approve(open, second.actionId, 'ci');
    assert.deepEqual(voted.kind === 'voted' && [voted.votes, voted.proposal.state], [1, 'Open']);
    const maker = await approve(open, second.actionId, 'person:ada');
    assert.equal(maker.kind === 'refused' && maker.reason, 'already-voted');
  });

  it('a denial needs a reason, escalates, and can be asked for again by a person, who may vote', async () => {
    const w = await suite.world({ mode: 'approve' });
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
    const late = await approveShown(w, open);
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

  it('the clock denies too: ApprovalTimeout, and a later vote is told so', async () => {
    verifies('H3-22');
    const w = await suite.world({ mode: 'approve' });
    const { incidentId, actionId } = await w.propose(PATCH);
    await run(w);
    const open = await w.openProposal(actionId);
    await suite.db.moveClock('61 minutes');
    try {
      const late = await approveShown(w, open);
      assert.deepEqual(late.kind === 'refused' && [late.reason, late.details?.state], ['already-decided', 'Expired']);
      assert.deepEqual(
        [(await w.incident(incidentId)).escalation_reason, (await w.action(actionId)).state],
        ['ApprovalTimeout', 'ApprovalExpired'],
      );
    } finally {
      await suite.db.moveClock('0');
    }
  });

  it('the sweep expires without anybody voting', async () => {
    const w = await suite.world({ mode: 'approve' });
    const { incidentId } = await w.propose(PATCH);
    await run(w);
    await suite.db.moveClock('61 minutes');
    try {
      await drain(w.stages().admit);
      assert.equal((await w.incident(incidentId)).escalation_reason, 'ApprovalTimeout');
    } finally {
      await suite.db.moveClock('0');
    }
  });

  it('an expiry that two replicas find at the same time is counted by the one that wrote it', async () => {
    const w = await suite.world({ mode: 'approve' });
    await w.propose(PATCH);
    await run(w);
    await suite.db.moveClock('61 minutes');
    const counted: unknown[] = [];
    const metrics = {
      ...w.deps.metrics,
      count: (name: string, labels?: Readonly<Record<string, string>>) =>
        void (name === 'proposals_total' && counted.push(labels?.outcome)),
    };
    try {
      const replicas = [1, 2].map(() => createAdmitStage({ ...w.deps, metrics }));
      await Promise.all(replicas.map((stage) => stage.pass(new AbortController().signal)));
      assert.deepEqual(counted, ['expired']);
    } finally {
      await suite.db.moveClock('0');
    }
  });

  it('a wrong digest is no vote', async () => {
    const w = await suite.world({ mode: 'approve' });
    const { actionId } = await w.propose(PATCH);
    await run(w);
    const open = await w.openProposal(actionId);
    const wrong = await approveShown(w, { ...open, digest: '0'.repeat(64) });
    assert.equal(wrong.kind === 'refused' && wrong.reason, 'digest-mismatch');
    assert.equal((await w.action(actionId)).state, 'AwaitingApproval');
  });

  it('a likely cause asks, a possible one is not acted on', async () => {
    const w = await suite.world();
    const likely = await w.propose(PATCH, { certainty: 'likely' });
    await run(w);
    assert.equal((await w.action(likely.actionId)).state, 'AwaitingApproval');
    const possible = await w.propose(PATCH, { certainty: 'possible' });
    await run(w);
    assert.equal((await w.incident(possible.incidentId)).escalation_reason, 'LowConfidence');
    assert.equal(w.cluster.real.length, 0);
  });

  it('an approval survives a cluster that is unhealthy for a moment, before and after its admission', async () => {
    for (const when of ['approved', 'admitted'] as const) {
      const w = await suite.world({
        mode: 'approve',
        policy: testPolicy({ verification: { times: ['1ms', '2ms', '3ms'] }, clusterHealth: { maxUnreadyPods: 0.3 } }),
        settings: { patienceMs: 60_000 },
      });
      const { incidentId, actionId } = await w.propose(PATCH);
      const { admit, act } = w.stages();
      await drain(admit);
      await approve(w, actionId);
      if (when === 'admitted') await drain(admit);
      await countHealth(w.db, { unreadyPods: 4 });
      await drain(admit, act);
      const waiting = when === 'admitted' ? 'Admitted' : 'Approved';
      assert.deepEqual([(await w.action(actionId)).state, w.cluster.real.length], [waiting, 0]);
      await countHealth(w.db);
      await run(w);
      assert.equal((await w.incident(incidentId)).state, 'Resolved', when);
    }
  });
});
