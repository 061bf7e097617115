import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AnyActionRequest } from '@hephaisto/core/action/types';
import type { KubeFailure } from '@hephaisto/core/ports/kube';
import { drain } from '@hephaisto/test/stage-deps';
import { actionsOf } from '../flow/9-report/actions.ts';
import { template } from './testing/fake-cluster.ts';
import { approve, untilChecksAreDue, worlds } from './testing/fresh-world.ts';
import type { World } from './testing/world.ts';

const DB = { kind: 'StatefulSet', namespace: 'shop', name: 'db' };
const ROLLBACK_DB: AnyActionRequest = {
  type: 'RollbackWorkload',
  workload: DB,
  target: { ...DB, uid: 'uid-db' },
  params: { fromRevision: 3, toRevision: 2 },
};
const BUDGET: KubeFailure = {
  kind: 'failure',
  reason: 'too-many-requests',
  status: 429,
  message: 'the disruption budget db needs 3 healthy pods and has 2 currently',
  cause: 'disruption-budget',
};

function pod(name: string, revision: string, ready: boolean): Record<string, unknown> {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: 'shop',
      name,
      uid: `uid-${name}`,
      labels: { app: 'db', 'controller-revision-hash': revision },
      creationTimestamp: '2026-01-01T00:00:00Z',
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'uid-db', controller: true }],
    },
    spec: { containers: [{ name: 'app', image: 'app:3' }] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}

/** A StatefulSet whose rollout is stuck at its highest ordinal. Its controller observes a new template only when told to. */
function stuckRollout(w: World): void {
  w.cluster.put('statefulsets', 'shop', 'db', {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: {
      namespace: 'shop',
      name: 'db',
      uid: 'uid-db',
      generation: 3,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: { replicas: 3, selector: { matchLabels: { app: 'db' } }, template: template('app:3') },
    status: {
      observedGeneration: 3,
      replicas: 3,
      updatedReplicas: 1,
      readyReplicas: 2,
      currentRevision: 'rs-2',
      updateRevision: 'rs-3',
    },
  });
  for (const name of ['db-0', 'db-1']) w.cluster.put('pods', 'shop', name, pod(name, 'rs-2', true));
  w.cluster.put('pods', 'shop', 'db-2', pod('db-2', 'rs-3', false));
  w.cluster.react = () => undefined;
}

function observe(w: World): void {
  w.cluster.edit('statefulsets', 'db', (object) =>
    Object.assign(object.status as object, { observedGeneration: 4, updateRevision: 'rs-2' }),
  );
}

function removals(w: World): readonly string[] {
  return w.cluster.real.filter(({ write }) => write.verb !== 'patch').map(({ write }) => `${write.verb} ${write.name}`);
}

describe('a stuck rollout of a StatefulSet', () => {
  const suite = worlds();

  async function approved(w: World): Promise<{ incidentId: string; actionId: string }> {
    stuckRollout(w);
    const proposed = await w.propose(ROLLBACK_DB);
    const { admit, act } = w.stages();
    await drain(admit);
    const [shown] = await suite.db.query<{ dry_run: { diff: readonly { path: string }[] } }>(
      'SELECT dry_run FROM proposals WHERE action_id = $1',
      [proposed.actionId],
    );
    assert.ok(shown?.dry_run.diff.some(({ path }) => path === 'pods/db-2'));
    await approve(w, proposed.actionId);
    await drain(admit, act);
    assert.equal((await w.action(proposed.actionId)).state, 'Verifying');
    return proposed;
  }

  it('is rolled back, and the pod that the controller cannot replace is evicted once the rollback is observed', async () => {
    const w = await suite.world({ mode: 'approve' });
    const { incidentId } = await approved(w);
    assert.deepEqual(removals(w), []);
    observe(w);
    await drain(w.stages().act);
    assert.deepEqual(removals(w), ['evict db-2']);
    const [action] = await actionsOf(suite.db, incidentId);
    assert.deepEqual(action?.postState?.removed, { 'db-2': 'evicted' });
  });

  it('deletes the pod as stated where only its disruption budget refuses the eviction', async () => {
    const w = await suite.world({ mode: 'approve' });
    await approved(w);
    observe(w);
    w.cluster.interfere = ({ write, dryRun }) => (write.verb === 'evict' && !dryRun ? { instead: BUDGET } : undefined);
    await drain(w.stages().act);
    assert.deepEqual(removals(w), ['evict db-2', 'delete db-2']);
  });

  it('does not delete a pod that becomes ready while its disruption budget refuses the eviction', async () => {
    const w = await suite.world({ mode: 'approve' });
    const { incidentId } = await approved(w);
    observe(w);
    w.cluster.interfere = ({ write, dryRun }) => {
      if (write.verb !== 'evict' || dryRun) return undefined;
      w.cluster.put('pods', 'shop', 'db-2', pod('db-2', 'rs-3', true));
      return { instead: BUDGET };
    };
    const { signal } = new AbortController();
    await w.stages().act.pass(signal);
    await w.stages().act.pass(signal);
    assert.ok(w.cluster.objects.has('pods/shop/db-2'));
    const [action] = await actionsOf(suite.db, incidentId);
    assert.deepEqual(action?.postState?.removed, { 'db-2': 'ready' });
  });

  it('does not delete the pod because the server is overloaded, and evicts it later', async () => {
    const w = await suite.world({ mode: 'approve' });
    await approved(w);
    observe(w);
    const { cause: _, ...throttled } = BUDGET;
    let refused = 0;
    w.cluster.interfere = ({ write }) => {
      if (write.verb !== 'evict' || refused > 0) return undefined;
      refused += 1;
      return { instead: throttled };
    };
    const { signal } = new AbortController();
    await w.stages().act.pass(signal);
    await w.stages().act.pass(signal);
    assert.deepEqual(removals(w), ['evict db-2', 'evict db-2']);
  });

  it('leaves a pod alone that has become ready, or has another uid', async () => {
    for (const change of ['ready', 'replaced'] as const) {
      const w = await suite.world({ mode: 'approve' });
      await approved(w);
      observe(w);
      const next = pod('db-2', 'rs-3', change === 'ready');
      if (change === 'replaced') Object.assign(next.metadata as object, { uid: 'another' });
      w.cluster.put('pods', 'shop', 'db-2', next);
      await drain(w.stages().act);
      assert.deepEqual(removals(w), [], change);
    }
  });

  const lost = async (actionId: string): Promise<void> => {
    await suite.db.execute(
      `INSERT INTO action_attempts (id, action_id, phase, n, leader_epoch, request, outcome)
       VALUES (gen_random_uuid(), $1, 'removal', 1, 1, '{"name":"db-2"}', 'started')`,
      [actionId],
    );
  };
  const attempts = async (actionId: string): Promise<readonly string[]> => {
    const rows = await suite.db.query<{ text: string }>(
      `SELECT outcome || coalesce(':' || readback, '') AS text FROM action_attempts WHERE action_id = $1 AND phase = 'removal' ORDER BY n`,
      [actionId],
    );
    return rows.map(({ text }) => text);
  };
  const passes = async (w: World, times: number): Promise<void> => {
    const { signal } = new AbortController();
    for (let pass = 0; pass < times; pass += 1) await w.stages().act.pass(signal);
  };

  it('reads the pod back after its process died, and removes it where the call was not applied', async () => {
    const w = await suite.world({ mode: 'approve', settings: { readbackPausesMs: [0, 0] } });
    const { incidentId, actionId } = await approved(w);
    observe(w);
    await lost(actionId);
    await passes(w, 2);
    assert.deepEqual(removals(w), ['evict db-2']);
    assert.deepEqual(await attempts(actionId), ['failed:not_applied', 'succeeded']);
    const [action] = await actionsOf(suite.db, incidentId);
    assert.deepEqual(action?.postState?.removed, { 'db-2': 'evicted' });
  });

  it('sends no second removal while the first may still be on its way', async () => {
    const w = await suite.world({ mode: 'approve', settings: { readbackPausesMs: [3_600_000] } });
    const { incidentId, actionId } = await approved(w);
    observe(w);
    await lost(actionId);
    await passes(w, 3);
    assert.deepEqual([removals(w), await attempts(actionId)], [[], ['unknown']]);
    await suite.db.execute(`UPDATE actions SET state_since = state_since - interval '1 hour' WHERE id = $1`, [
      actionId,
    ]);
    await passes(w, 1);
    assert.deepEqual([removals(w), await attempts(actionId)], [[], ['unknown:inconclusive']]);
    const [action] = await actionsOf(suite.db, incidentId);
    assert.deepEqual(action?.postState?.removed, {
      'db-2': 'the call to remove the pod got no answer, and its outcome is unknown',
    });
  });

  for (const reason of ['server-error', 'cut', 'timeout'] as const)
    it(`reads the pod back after ${reason}, and tries again where the call was not applied`, async () => {
      const w = await suite.world({ mode: 'approve', settings: { readbackPausesMs: [0, 0] } });
      const { incidentId, actionId } = await approved(w);
      observe(w);
      let refused = 0;
      w.cluster.interfere = ({ write, dryRun }) => {
        if (write.verb !== 'evict' || dryRun || refused > 0) return undefined;
        refused += 1;
        return { instead: { kind: 'failure', reason, message: 'no answer' } };
      };
      await passes(w, 3);
      assert.deepEqual(removals(w), ['evict db-2', 'evict db-2']);
      assert.deepEqual(await attempts(actionId), ['failed:not_applied', 'succeeded']);
      const [action] = await actionsOf(suite.db, incidentId);
      assert.deepEqual(action?.postState?.removed, { 'db-2': 'evicted' });
    });

  it('sends an eviction without an answer once when the pod shows that it was applied', async () => {
    const w = await suite.world({ mode: 'approve', settings: { readbackPausesMs: [0, 0] } });
    const { incidentId, actionId } = await approved(w);
    observe(w);
    w.cluster.interfere = ({ write, dryRun }) => {
      if (write.verb !== 'evict' || dryRun) return undefined;
      w.cluster.objects.delete('pods/shop/db-2');
      w.cluster.put('pods', 'shop', 'db-2', pod('db-2', 'rs-2', true));
      w.cluster.edit('pods', 'db-2', (object) => Object.assign(object.metadata as object, { uid: 'next' }));
      return { instead: { kind: 'failure', reason: 'server-error', message: 'no answer' } };
    };
    await passes(w, 3);
    assert.deepEqual([removals(w), await attempts(actionId)], [['evict db-2'], ['unknown:applied']]);
    const [action] = await actionsOf(suite.db, incidentId);
    assert.deepEqual(action?.postState?.removed, { 'db-2': 'gone' });
  });

  it('pauses between the tries of a removal, and says so of one that was not answered until the patience is over', async () => {
    const w = await suite.world({
      mode: 'approve',
      settings: { readbackPausesMs: [0, 0], retryPausesMs: { first: 3_600_000, longest: 3_600_000 } },
    });
    const { incidentId, actionId } = await approved(w);
    observe(w);
    w.cluster.interfere = ({ write, dryRun }) =>
      write.verb === 'evict' && !dryRun
        ? { instead: { kind: 'failure', reason: 'server-error', message: 'no answer' } }
        : undefined;
    await passes(w, 5);
    assert.deepEqual(removals(w), ['evict db-2']);
    await suite.db.execute(`UPDATE actions SET state_since = state_since - interval '1 hour' WHERE id = $1`, [
      actionId,
    ]);
    await passes(w, 1);
    const [action] = await actionsOf(suite.db, incidentId);
    assert.deepEqual(action?.postState?.removed, { 'db-2': 'the pod is there and is not being deleted' });
  });

  it('does not leave a removal open when the action becomes a dead letter or the last check decides', async () => {
    for (const end of ['dead letter', 'last check'] as const) {
      const w = await suite.world({ mode: 'approve' });
      const { actionId } = await approved(w);
      await lost(actionId);
      if (end === 'last check') await untilChecksAreDue();
      if (end === 'last check') for (let n = 0; n < 3; n += 1) await drain(w.stages().verify);
      else {
        await suite.db.execute(`UPDATE actions SET params = params || '{"planted":true}' WHERE id = $1`, [actionId]);
        await passes(w, 1);
      }
      assert.deepEqual(await attempts(actionId), ['unknown:inconclusive'], end);
    }
  });

  it('removes nothing while the emergency stop is on', async () => {
    const w = await suite.world({ mode: 'approve' });
    await approved(w);
    observe(w);
    await suite.db.execute(`UPDATE switches SET value = 'on' WHERE name = 'emergency_stop'`);
    await drain(w.stages().act);
    assert.deepEqual(removals(w), []);
  });
});
