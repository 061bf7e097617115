import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AnyActionRequest } from '@hephaisto/core/action/types';
import { drain } from '@hephaisto/test/stage-deps';
import { createLeases } from '../adapters/postgres/leases.ts';
import { createAdmitStage } from '../flow/6-admit/stage.ts';
import { worlds } from './testing/fresh-world.ts';
import { countHealth, PATCH, RESTART, ROLLBACK, testPolicy, type World } from './testing/world.ts';

/** Collections that a pass listed. */
async function listedBy(w: World, passes = 1): Promise<readonly string[]> {
  w.cluster.lists.length = 0;
  for (let n = 0; n < passes; n += 1) await w.stages().admit.pass(new AbortController().signal);
  return [...w.cluster.lists];
}

/** Proposals on as many Deployments `many-0`, `many-1` and so on, in the order in which they were made. */
async function proposeForMany(w: World, count: number): Promise<readonly string[]> {
  const actions: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const name = `many-${n}`;
    const object = structuredClone(w.cluster.objects.get('deployments/shop/checkout') ?? {});
    Object.assign(object.metadata as object, { name, uid: `uid-${name}` });
    w.cluster.put('deployments', 'shop', name, object);
    const workload = { ...PATCH.workload, name };
    const request: AnyActionRequest = { ...PATCH, workload, target: { ...workload, uid: `uid-${name}` } };
    actions.push((await w.propose(request)).actionId);
  }
  return actions;
}

describe('revalidation of open proposals', () => {
  const suite = worlds();

  it('an open proposal is evaluated again only when target, policy, switches or health moved', async () => {
    const changes: readonly [string, (w: World) => void | Promise<void>][] = [
      [
        'target',
        (w) => w.cluster.edit('pods', 'checkout-a', (o) => Object.assign(o.metadata as object, { labels: {} })),
      ],
      [
        'controller',
        (w) => w.cluster.edit('deployments', 'checkout', (o) => Object.assign(o.spec as object, { x: 1 })),
      ],
      ['policy', (w) => Object.assign(w.policy, { loaded: testPolicy({ note: 'another' }) })],
      ['switches', (w) => Object.assign(w.environment, { current: { agent_mode: 'approve' } })],
      ['health', (w) => countHealth(w.db, { pods: 40, unreadyPods: 39 })],
    ];
    for (const [what, change] of changes) {
      const w = await suite.world({ mode: 'approve' });
      await w.propose(RESTART);
      await drain(w.stages().admit);
      await listedBy(w);
      w.cluster.edit('pods', 'checkout-a', (o) => Object.assign(o.status as object, { podIP: '10.0.0.9' }));
      assert.deepEqual(await listedBy(w, 3), [], what);
      await change(w);
      assert.ok((await listedBy(w)).length > 0, what);
      await suite.db.execute(`UPDATE proposals SET state = 'Expired', settled_at = app_now() WHERE state = 'Open'`);
    }
  });

  it('a mark that protects the target makes its proposal void at the next pass, without a list before', async () => {
    const w = await suite.world({ mode: 'approve' });
    const { actionId } = await w.propose(ROLLBACK);
    await drain(w.stages().admit);
    assert.deepEqual(await listedBy(w, 2), []);
    w.cluster.edit('deployments', 'checkout', (o) =>
      Object.assign(o.metadata as object, { labels: { 'hephaisto.io/protected': 'true' } }),
    );
    await drain(w.stages().admit);
    assert.equal((await w.action(actionId)).state, 'Withdrawn');
  });

  it('a server that does not answer changes nothing, and the next pass asks it again', async () => {
    const w = await suite.world({ mode: 'approve' });
    const { actionId } = await w.propose(PATCH);
    await drain(w.stages().admit);
    w.cluster.readFailure = { kind: 'failure', reason: 'timeout', message: 'no answer' };
    await w.stages().admit.pass(new AbortController().signal);
    assert.equal((await w.action(actionId)).state, 'AwaitingApproval');
    w.cluster.readFailure = undefined;
    w.cluster.remove('deployments', 'checkout');
    await drain(w.stages().admit);
    assert.equal((await w.action(actionId)).state, 'Withdrawn');
  });

  it('targets that do not answer, one or many, keep no other proposal from being compared', async () => {
    for (const silent of [1, 8]) {
      const w = await suite.world({ mode: 'approve' });
      const actions = await proposeForMany(w, 10);
      const stage = w.stages().admit;
      await drain(stage);
      for (let n = 0; n < silent; n += 1) w.cluster.silent.add(`deployments/shop/many-${n}`);
      w.cluster.remove('deployments', 'many-9');
      // The first pass may meet nothing but silence; those that were silent come last in the second.
      for (let pass = 0; pass < 2; pass += 1) await stage.pass(new AbortController().signal);
      const states = await Promise.all(actions.map(async (id) => (await w.action(id)).state));
      assert.deepEqual(
        states,
        [...Array.from({ length: 9 }, () => 'AwaitingApproval'), 'Withdrawn'],
        `${silent} silent`,
      );
      await suite.db.execute(`UPDATE proposals SET state = 'Expired', settled_at = app_now() WHERE state = 'Open'`);
    }
  });

  it('a comparison in which a fact could not be read is repeated until it can be read', async () => {
    const w = await suite.world({ mode: 'approve' });
    const { actionId } = await w.propose(PATCH);
    await drain(w.stages().admit);
    w.cluster.edit('deployments', 'checkout', (o) =>
      Object.assign(o.metadata as object, { labels: { 'hephaisto.io/protected': 'true' } }),
    );
    const failure = { kind: 'failure', reason: 'timeout', message: 'no answer' } as const;
    const reader = Object.assign(Object.create(w.cluster) as World['cluster'], {
      workload: () => Promise.resolve(failure),
    });
    const stage = createAdmitStage({ ...w.deps, reader });
    await stage.pass(new AbortController().signal);
    assert.equal((await w.action(actionId)).state, 'AwaitingApproval');
    await drain(w.stages().admit);
    assert.equal((await w.action(actionId)).state, 'Withdrawn');
  });

  it('a target that goes on moving is tried again after growing pauses, not at every pass', async () => {
    const w = await suite.world({ mode: 'approve' });
    await w.propose(PATCH);
    await drain(w.stages().admit);
    let nowMs = 0;
    const stage = createAdmitStage({
      ...w.deps,
      clock: { now: w.deps.clock.now, monotonicMs: () => nowMs },
      settings: { ...w.deps.settings, recheckMs: 5_000 },
    });
    w.cluster.edit('deployments', 'checkout', (o) => Object.assign(o.spec as object, { replicas: 6 }));
    w.cluster.interfere = () => {
      w.cluster.edit('deployments', 'checkout', () => undefined);
      return undefined;
    };
    const tried: boolean[] = [];
    for (let pass = 0; pass < 9; pass += 1) {
      w.cluster.sent.length = 0;
      await stage.pass(new AbortController().signal);
      tried.push(w.cluster.sent.length > 0);
      nowMs += 5_000;
    }
    assert.deepEqual(tried, [true, true, false, true, false, false, false, true, false]);
  });

  it('one replica compares at a time: another that holds the lease is left to do it', async () => {
    const w = await suite.world({ mode: 'approve' });
    const { actionId } = await w.propose(PATCH);
    await drain(w.stages().admit);
    const subject = { kind: 'sweeper', key: 'open-proposals' } as const;
    const grant = await createLeases(w.db).acquire(subject, {
      runId: w.deps.ids.uuid(),
      holder: { pod: 'other', bootId: 'other' },
      ttlMs: 60_000,
    });
    assert.equal(grant.kind, 'held');
    w.cluster.remove('deployments', 'checkout');
    await drain(createAdmitStage(w.deps));
    assert.equal((await w.action(actionId)).state, 'AwaitingApproval');
    if (grant.kind === 'held') await createLeases(w.db).release(grant.lease);
    await drain(createAdmitStage(w.deps));
    assert.equal((await w.action(actionId)).state, 'Withdrawn');
  });
});

describe('the health of the cluster in an evaluation', () => {
  const suite = worlds();

  it('is what the watch counted; no count, or one older than 30 s, is unknown and denies', async () => {
    const counts: readonly [string, (w: World) => Promise<unknown>][] = [
      ['unreadable', (w) => w.db.execute('DELETE FROM cluster_health')],
      ['unreadable', (w) => countHealth(w.db, {}, '-31 seconds')],
    ];
    for (const [reason, set] of counts) {
      const w = await suite.world();
      await set(w);
      const { actionId } = await w.propose(PATCH);
      await drain(w.stages().admit);
      assert.equal((await w.action(actionId)).state, 'Proposed', 'a moment without a count is waited for');
      await w.db.execute(`UPDATE actions SET state_since = app_now() - interval '10 minutes' WHERE id = $1`, [
        actionId,
      ]);
      await drain(w.stages().admit);
      const { state, decision_reasons: reasons } = await w.action(actionId);
      assert.deepEqual([state, reasons], ['Denied', [reason]]);
      const [event] = await w.db.query<{ message: string }>(
        `SELECT data ->> 'message' AS message FROM incident_events WHERE to_state = 'Escalated' ORDER BY id DESC LIMIT 1`,
      );
      assert.match(
        event?.message ?? '',
        /health of the cluster.*; waited 6\d\d s\. Reinvestigate once it can be read$/,
      );
      assert.ok(!w.cluster.lists.includes('pods ') && !w.cluster.lists.includes('nodes'));
    }
    const fresh = await suite.world();
    await countHealth(fresh.db, {}, '-20 seconds');
    const { actionId } = await fresh.propose(PATCH);
    await drain(fresh.stages().admit);
    assert.equal((await fresh.action(actionId)).state, 'Admitted');
  });

  it('counts of a leader that was replaced are not written over those of its successor', async () => {
    const w = await suite.world();
    await w.db.execute('UPDATE cluster_health SET epoch = 7');
    await assert.rejects(countHealth(w.db), /later leader/);
  });
});
