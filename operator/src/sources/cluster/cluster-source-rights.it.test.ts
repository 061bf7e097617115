import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '@hephaisto/test/database';
import { addLocalCluster, quietDeps } from '@hephaisto/test/stage-deps';
import { eventually, startWatch } from '@hephaisto/test/watch-world';
import { withCluster } from '../../demo/cluster/testing/raw-client.ts';
import { create, firing, pod, resolved, setStatus, signals, waiting, watching } from './cluster-source.fixture.ts';

describe('watching a cluster of which not everything may be read', { timeout: 60_000 }, () => {
  let db: TestDatabase;
  before(async () => {
    db = await createTestDatabase();
    await addLocalCluster(db);
  });
  after(() => db.close());

  it('a kind that may not be read is said with the rule that is missing, and the others go on', async () => {
    await withCluster(async (client, cluster) => {
      cluster.faults.add({
        when: ({ resource }) => resource === 'jobs',
        fault: { kind: 'answer', status: 403, reason: 'Forbidden', message: 'jobs.batch is forbidden' },
      });
      const source = await startWatch(cluster, quietDeps(db));
      try {
        const health = await eventually(
          async () => source.health(),
          (all) => all.every((each) => (each.resource === 'jobs' ? each.state === 'forbidden' : each.synced)),
          'jobs forbidden and the rest in step',
        );
        const jobs = health.find((each) => each.resource === 'jobs');
        assert.deepEqual(jobs?.missing, { apiGroups: ['batch'], resources: ['jobs'], verbs: ['get', 'list', 'watch'] });
        assert.ok(jobs?.brokenSince !== undefined, 'expected the time since when the feed is broken');
        await create(client, 'partly', pod('web-5d4f8c7b9-fffff'));
        await setStatus(client, 'partly', 'web-5d4f8c7b9-fffff', waiting('CrashLoopBackOff', 3));
        await eventually(() => signals(db, 'partly'), firing('CrashLoopBackOff'), 'the crash');
      } finally {
        await source.close();
      }
    });
  });

  it('a feed of another kind that is forbidden for ever does not keep conditions of vanished pods firing', async () => {
    await withCluster(async (client, cluster) => {
      const deps = quietDeps(db);
      const first = await startWatch(cluster, deps);
      await create(client, 'vanished', pod('web-5d4f8c7b9-vvvvv'));
      await setStatus(client, 'vanished', 'web-5d4f8c7b9-vvvvv', waiting('CrashLoopBackOff', 3));
      await eventually(() => signals(db, 'vanished'), firing('CrashLoopBackOff'), 'the crash');
      await first.close();
      await client.delete('/api/v1/namespaces/vanished/pods/web-5d4f8c7b9-vvvvv', { gracePeriodSeconds: 0 });
      cluster.faults.add({
        when: ({ resource }) => resource === 'jobs' || resource === 'nodes',
        fault: { kind: 'answer', status: 403, reason: 'Forbidden', message: 'not for you' },
      });
      const second = await startWatch(cluster, deps);
      try {
        await eventually(() => signals(db, 'vanished'), resolved('CrashLoopBackOff'), 'the end of the vanished pod');
        await eventually(
          async () => second.health().flatMap(({ state, resource }) => (state === 'forbidden' ? [resource] : [])),
          (resources) => resources.toSorted().join(' ') === 'jobs nodes',
          'jobs and nodes to be forbidden',
        );
      } finally {
        await second.close();
      }
    });
  });

  it('conditions of a kind that may no longer be read are unknown, with why, and known again once it may', async () => {
    await withCluster(async (client, cluster) => {
      const deps = quietDeps(db);
      const first = await startWatch(cluster, deps);
      for (const name of ['web-5d4f8c7b9-stays', 'web-5d4f8c7b9-goes']) {
        await create(client, 'unread', pod(name));
        await setStatus(client, 'unread', name, waiting('CrashLoopBackOff', 3));
      }
      const crashes = async () =>
        (await signals(db, 'unread')).filter(({ kind }) => kind === 'CrashLoopBackOff').map(({ status }) => status);
      const both = (status: string) => (found: readonly string[]) =>
        found.length === 2 && found.every((each) => each === status);
      await eventually(crashes, both('firing'), 'two crashes');
      await first.close();
      const allow = cluster.faults.add({
        when: ({ resource }) => resource === 'pods',
        fault: { kind: 'answer', status: 403, reason: 'Forbidden', message: 'not for you' },
      });
      const second = await startWatch(cluster, deps);
      try {
        await eventually(crashes, both('unknown'), 'both unknown');
        const [why] = await db.query<{ why: string }>(
          `SELECT payload->>'unknown' AS why FROM signals WHERE namespace = 'unread' AND status = 'unknown'`,
        );
        assert.match(why?.why ?? '', /pods may not be read: .*not for you/);
        allow();
        await client.delete('/api/v1/namespaces/unread/pods/web-5d4f8c7b9-goes', { gracePeriodSeconds: 0 });
        await eventually(
          crashes,
          (found) => [...found].sort().join() === 'firing,resolved',
          'one that still fires, and one that ended',
        );
      } finally {
        await second.close();
      }
    });
  });

  it('conditions are known again when a watch that was refused for a while goes on without another list', async () => {
    await withCluster(async (client, cluster) => {
      const ofPods = (verb: string) => (request: { resource: string; verb: string }) =>
        request.resource === 'pods' && request.verb === verb;
      cluster.faults.add({ when: ofPods('watch'), times: 1, fault: { kind: 'cut-watch', afterEvents: 2 } });
      const allow = cluster.faults.add({
        when: ofPods('watch'),
        fault: { kind: 'answer', status: 401, reason: 'Unauthorized', message: 'the token has expired' },
      });
      const source = await startWatch(cluster, quietDeps(db));
      const crash = async () =>
        (await signals(db, 'renewed')).filter(({ kind }) => kind === 'CrashLoopBackOff').map(({ status }) => status);
      try {
        await eventually(
          async () => source.health(),
          (health) => health.every((each) => each.synced),
          'every feed to be in step',
        );
        await create(client, 'renewed', pod('web-5d4f8c7b9-crash'));
        await setStatus(client, 'renewed', 'web-5d4f8c7b9-crash', waiting('CrashLoopBackOff', 3));
        await eventually(crash, (found) => found.join() === 'firing', 'the crash');
        await create(client, 'renewed', pod('web-5d4f8c7b9-other'));
        await eventually(crash, (found) => found.join() === 'unknown', 'the crash to be unknown');
        allow();
        await eventually(crash, (found) => found.join() === 'firing', 'the crash to be known again');
      } finally {
        await source.close();
      }
    });
  });

  interface HealthRow {
    readonly pods: number;
    readonly unready_pods: number;
    readonly nodes: number;
    readonly epoch: string;
  }
  const healthRows = () => db.query<HealthRow>('SELECT pods, unready_pods, nodes, epoch FROM cluster_health');

  for (const findsFaults of [true, false])
    it(`one row counts all pods and nodes, also of ignored namespaces, with the search for faults ${findsFaults ? 'on' : 'off'}`, async () => {
      await db.execute('DELETE FROM cluster_health');
      const namespace = `counted-${findsFaults}`;
      await watching(
        db,
        async (client) => {
          const [before] = await eventually(healthRows, (rows) => rows.length === 1, 'a first count');
          await create(client, namespace, pod('web-5d4f8c7b9-jjjjj'));
          await setStatus(client, namespace, 'web-5d4f8c7b9-jjjjj', waiting('CrashLoopBackOff', 3));
          const more = (rows: readonly HealthRow[]) => (rows[0]?.unready_pods ?? 0) > (before?.unready_pods ?? 0);
          const [row] = await eventually(healthRows, more, 'the pod to be counted');
          assert.equal(row?.pods, (before?.pods ?? 0) + 1);
          assert.ok(Number(row?.epoch) > 0);
        },
        { config: { findsFaults, ignoreNamespaces: [namespace] } },
      );
      assert.deepEqual(await signals(db, namespace), []);
    });

  it('writes no count while pods may not be watched', async () => {
    await db.execute('DELETE FROM cluster_health');
    await withCluster(async (_client, cluster) => {
      cluster.faults.add({
        when: ({ resource }) => resource === 'pods',
        fault: { kind: 'answer', status: 403, reason: 'Forbidden', message: 'pods is forbidden' },
      });
      const source = await startWatch(cluster, quietDeps(db));
      try {
        await eventually(
          async () => source.health(),
          (health) => health.some(({ resource, state }) => resource === 'pods' && state === 'forbidden'),
          'pods to be forbidden',
        );
        await sleep(1_200);
        assert.deepEqual(await healthRows(), []);
      } finally {
        await source.close();
      }
    });
  });
});
