import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SpecChange } from '@hephaisto/core/action/spec-diff';
import { drain } from '@hephaisto/test/stage-deps';
import type { FakeCluster } from './testing/fake-cluster.ts';
import { approve, approveShown, neverHeals, run, worlds } from './testing/fresh-world.ts';
import { PATCH, ROLLBACK, testPolicy } from './testing/world.ts';

/** What no column of a database can hold, and what its escape looks like. */
const HOSTILE = 'nul \u0000 half \ud800 other half \udc00 spelled \\u0000 \\\\u0000 "';

/** A template such as an API server takes, and no container runtime starts. */
function hostileTemplate(image: string): Record<string, unknown> {
  const env = [{ name: 'KEY', value: HOSTILE }];
  return {
    metadata: { labels: { app: 'checkout' }, annotations: { [`note-${HOSTILE}`]: HOSTILE } },
    spec: { containers: [{ name: 'app', image, env, resources: { limits: { memory: '128Mi' } } }] },
  };
}

function setTemplate(cluster: FakeCluster, template: Record<string, unknown>): void {
  cluster.edit('deployments', 'checkout', (object) => {
    (object.spec as Record<string, unknown>).template = template;
  });
}

describe('text that no database holds, in objects and answers', () => {
  const suite = worlds();

  it('an object that has it is repaired as any other, after a person has seen what changes', async () => {
    const w = await suite.world({ mode: 'approve' });
    setTemplate(w.cluster, hostileTemplate('app:3'));
    const { incidentId, actionId } = await w.propose(ROLLBACK);
    await run(w);
    assert.equal((await approve(w, actionId)).kind, 'voted');
    await run(w);
    assert.equal((await w.incident(incidentId)).state, 'Resolved');
    assert.equal(JSON.stringify(w.cluster.spec()).includes('\\u0000'), false);
  });

  it('an undo puts back exactly the prior bytes, not what could be stored of them', async () => {
    for (const request of [ROLLBACK, PATCH]) {
      const w = await suite.world();
      setTemplate(w.cluster, hostileTemplate('app:3'));
      const before = structuredClone(w.cluster.spec());
      neverHeals(w.cluster);
      const { incidentId } = await w.propose(request);
      await run(w);
      assert.equal((await w.incident(incidentId)).rollback_sub_reason, 'RolledBack', request.type);
      assert.deepEqual(w.cluster.spec(), before, request.type);
    }
  });

  it('a target that moved tells what moved and nothing else', async () => {
    const w = await suite.world({ mode: 'approve' });
    setTemplate(w.cluster, hostileTemplate('app:3'));
    const { incidentId, actionId } = await w.propose(ROLLBACK);
    await drain(w.stages().admit);
    const shown = await w.openProposal(actionId);
    setTemplate(w.cluster, hostileTemplate('app:10'));
    const answer = await approveShown(w, shown);
    assert.equal(answer.kind === 'refused' ? answer.details?.state : answer.kind, 'Void');
    const [told] = await suite.db.query<{ delta: readonly SpecChange[] }>(
      `SELECT data -> 'delta' AS delta FROM incident_events WHERE incident_id = $1 AND data ? 'delta'`,
      [incidentId],
    );
    assert.deepEqual(
      told?.delta.map(({ from, to }) => [from, to]),
      [['app:3', 'app:10']],
    );
  });

  it('an answer that has it ends the call as any other', async () => {
    for (const [which, state] of [
      ['dry run', 'DryRunFailed'],
      ['call', 'Failed'],
    ] as const) {
      const w = await suite.world();
      w.cluster.interfere = ({ dryRun }) =>
        dryRun === (which === 'dry run')
          ? { instead: { kind: 'failure', reason: 'forbidden', status: 403, message: HOSTILE } }
          : undefined;
      const { incidentId, actionId } = await w.propose(PATCH);
      await run(w);
      assert.deepEqual(
        [(await w.action(actionId)).state, (await w.incident(incidentId)).escalation_reason],
        [state, 'ActionFailed'],
        which,
      );
    }
  });

  it('an undo whose refusal has it ends as failed', async () => {
    const w = await suite.world();
    neverHeals(w.cluster);
    w.cluster.interfere = ({ dryRun, write }) =>
      !dryRun && w.cluster.real.length > 1 && write.verb === 'patch'
        ? { instead: { kind: 'failure', reason: 'forbidden', status: 403, message: HOSTILE } }
        : undefined;
    const { incidentId } = await w.propose(PATCH);
    await run(w);
    assert.equal((await w.incident(incidentId)).rollback_sub_reason, 'RollbackFailed');
  });

  it('facts that cannot be read for a reason that has it deny, and say so', async () => {
    const w = await suite.world({ policy: testPolicy({}, { podAge: '0s' }) });
    const { incidentId, actionId } = await w.propose(PATCH);
    w.cluster.readFailure = { kind: 'failure', reason: 'server-error', message: HOSTILE };
    await run(w);
    assert.deepEqual([(await w.action(actionId)).state, (await w.incident(incidentId)).state], ['Denied', 'Escalated']);
  });
});
