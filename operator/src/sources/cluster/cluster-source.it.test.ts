import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@hephaisto/core/ports/database';
import { createTestDatabase, type TestDatabase } from '@hephaisto/test/database';
import { addLocalCluster, quietDeps } from '@hephaisto/test/stage-deps';
import { verifies } from '@hephaisto/test/verifies';
import { eventually, startWatch } from '@hephaisto/test/watch-world';
import type { SimulatedCluster } from '../../demo/cluster/simulated-cluster.ts';
import { type RawClient, withCluster } from '../../demo/cluster/testing/raw-client.ts';

interface SignalLine {
  readonly kind: string;
  readonly status: string;
  readonly disposition: string;
  readonly why: string | null;
  readonly owner: string;
  readonly chain: readonly string[];
}

async function signals(db: Database, namespace: string): Promise<readonly SignalLine[]> {
  return await db.query<SignalLine>(
    `SELECT kind, status, disposition, disposition_reason AS why, owner_kind || '/' || owner_name AS owner, owner_chain AS chain
     FROM signals WHERE source = 'k8s' AND namespace = $1 ORDER BY received_at, id`,
    [namespace],
  );
}

const OWNED = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d4f8c7b9', uid: 'set-1', controller: true }];

function pod(name: string, owners: readonly object[] = OWNED) {
  const labels = { app: 'web', ...(owners.length === 0 ? {} : { 'pod-template-hash': '5d4f8c7b9' }) };
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name, labels, ownerReferences: owners },
    spec: { nodeName: 'n1', containers: [{ name: 'app', image: 'web:1' }] },
  };
}

function ready(restartCount = 0) {
  return {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [
      { name: 'app', ready: true, started: true, restartCount, image: 'web:1', imageID: 'x', state: { running: {} } },
    ],
  };
}

function waiting(reason: string, restartCount: number, message = '', lastReason = 'Error') {
  return {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'False' }],
    containerStatuses: [
      {
        name: 'app',
        ready: false,
        restartCount,
        image: 'web:1',
        imageID: 'x',
        state: { waiting: { reason, message } },
        lastState: { terminated: { exitCode: lastReason === 'OOMKilled' ? 137 : 1, reason: lastReason } },
      },
    ],
  };
}

async function create(client: RawClient, namespace: string, object: object): Promise<void> {
  await client.post('/api/v1/namespaces', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: namespace } });
  const answer = await client.post(`/api/v1/namespaces/${namespace}/pods`, object);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
}

async function setStatus(client: RawClient, namespace: string, name: string, status: object): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  const current = await client.get(path);
  const answer = await client.put(`${path}/status`, { ...current.body, status });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}

const firing = (kind: string) => (rows: readonly SignalLine[]) =>
  rows.some((row) => row.kind === kind && row.status === 'firing');
const resolved = (kind: string) => (rows: readonly SignalLine[]) =>
  rows.some((row) => row.kind === kind && row.status === 'resolved');

describe('watching a cluster', { timeout: 60_000 }, () => {
  let db: TestDatabase;
  before(async () => {
    db = await createTestDatabase();
    await addLocalCluster(db);
  });
  after(() => db.close());

  async function watching(
    use: (client: RawClient, cluster: SimulatedCluster) => Promise<void>,
    options: Parameters<typeof startWatch>[2] = {},
    beforehand: (client: RawClient) => Promise<void> = async () => undefined,
  ): Promise<void> {
    await withCluster(async (client, cluster) => {
      await beforehand(client);
      const source = await startWatch(cluster, quietDeps(db), options);
      try {
        await eventually(
          async () => source.health(),
          (health) => health.every((each) => each.synced || each.state === 'forbidden'),
          'every feed to be in step',
        );
        await use(client, cluster);
      } finally {
        await source.close();
      }
    });
  }

  const FAULTS: Readonly<Record<string, { kind: string; status: object }>> = {
    'a container in back-off': { kind: 'CrashLoopBackOff', status: waiting('CrashLoopBackOff', 2) },
    'a container killed for memory': { kind: 'OomKilled', status: waiting('CrashLoopBackOff', 1, '', 'OOMKilled') },
    'an image that does not exist': {
      kind: 'ImagePullBackOff',
      status: waiting('ErrImagePull', 0, 'rpc error: code = NotFound desc = web:9: not found'),
    },
    'a key that a Secret lacks': {
      kind: 'ConfigError',
      status: waiting('CreateContainerConfigError', 0, "couldn't find key X in Secret shop/s"),
    },
  };

  it('finds each fault of a pod under its Deployment within half a second, and its end', async () => {
    verifies('H3-1', 'H3-32');
    await watching(async (client) => {
      for (const [index, { kind, status }] of Object.values(FAULTS).entries()) {
        const namespace = `fault-${index}`;
        await create(client, namespace, pod('web-5d4f8c7b9-x7k2p'));
        const at = Date.now();
        await setStatus(client, namespace, 'web-5d4f8c7b9-x7k2p', status);
        const rows = await eventually(() => signals(db, namespace), firing(kind), kind);
        assert.ok(Date.now() - at < 500, `${kind} took ${Date.now() - at} ms`);
        assert.equal(rows[0]?.owner, 'Deployment/web');
        assert.equal(rows[0]?.disposition, 'pending');
        await setStatus(client, namespace, 'web-5d4f8c7b9-x7k2p', ready(3));
        await eventually(() => signals(db, namespace), resolved(kind), `the end of ${kind}`);
      }
    });
  });

  it('one crash that recovers is kept as benign and fires nothing', async () => {
    await watching(async (client) => {
      await create(client, 'once', pod('web-5d4f8c7b9-aaaaa'));
      await setStatus(client, 'once', 'web-5d4f8c7b9-aaaaa', ready());
      await setStatus(client, 'once', 'web-5d4f8c7b9-aaaaa', {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'False' }],
        containerStatuses: [
          {
            name: 'app',
            ready: false,
            restartCount: 0,
            image: 'x',
            imageID: 'x',
            state: { terminated: { exitCode: 1, reason: 'Error' } },
          },
        ],
      });
      await setStatus(client, 'once', 'web-5d4f8c7b9-aaaaa', ready(1));
      const rows = await eventually(
        () => signals(db, 'once'),
        (found) => found.some((row) => row.why?.startsWith('single-restart-recovered') === true),
        'a note about the restart',
      );
      assert.ok(rows.every((row) => row.disposition === 'benign'));
    });
  });

  it('a node without memory is found, a node that somebody closes is noted', async () => {
    await watching(async (client) => {
      const node = {
        kind: 'Node',
        apiVersion: 'v1',
        metadata: { name: 'n1' },
        spec: {},
        status: { conditions: [{ type: 'Ready', status: 'True' }], allocatable: { cpu: '4', memory: '8Gi' } },
      };
      await client.post('/api/v1/nodes', node);
      const path = '/api/v1/nodes/n1';
      await client.patch(path, [{ op: 'add', path: '/spec/unschedulable', value: true }]);
      const current = await client.get(path);
      await client.put(`${path}/status`, {
        ...current.body,
        status: {
          ...current.body.status,
          conditions: [
            { type: 'Ready', status: 'True' },
            { type: 'MemoryPressure', status: 'True' },
          ],
        },
      });
      const rows = await eventually(
        () =>
          db.query<{ kind: string; why: string | null; status: string }>(
            `SELECT kind, disposition_reason AS why, status FROM signals WHERE node_name = 'n1' AND owner_kind = 'Node'`,
          ),
        (found) =>
          found.some((row) => row.status === 'firing') &&
          found.some((row) => row.why?.startsWith('node-cordoned') === true),
        'pressure and a note',
      );
      assert.ok(rows.every((row) => row.kind === 'NodePressure'));
    });
  });

  it('what changes while the watch is cut, refused or too far back is still told', async () => {
    await watching(async (client, cluster) => {
      await create(client, 'cuts', pod('web-5d4f8c7b9-ccccc'));
      await setStatus(client, 'cuts', 'web-5d4f8c7b9-ccccc', ready());
      cluster.cutWatches();
      await setStatus(client, 'cuts', 'web-5d4f8c7b9-ccccc', waiting('CrashLoopBackOff', 3));
      await eventually(() => signals(db, 'cuts'), firing('CrashLoopBackOff'), 'the crash after a cut');

      const stop = cluster.faults.add({
        when: ({ verb }) => verb === 'watch' || verb === 'list',
        fault: { kind: 'answer', status: 503, body: 'no' },
      });
      cluster.cutWatches();
      await client.delete('/api/v1/namespaces/cuts/pods/web-5d4f8c7b9-ccccc', { gracePeriodSeconds: 0 });
      cluster.compact();
      stop();
      await eventually(() => signals(db, 'cuts'), resolved('CrashLoopBackOff'), 'the end that only a new list shows');

      await create(client, 'expired', pod('web-5d4f8c7b9-ddddd'));
      cluster.expireWatches();
      await setStatus(client, 'expired', 'web-5d4f8c7b9-ddddd', waiting('CrashLoopBackOff', 3));
      await eventually(() => signals(db, 'expired'), firing('CrashLoopBackOff'), 'the crash after a 410');
    });
  });

  it('a container that was up when the API server went away has not recovered, since nothing was seen of it', async () => {
    await watching(async (client, cluster) => {
      const name = 'web-5d4f8c7b9-fffff';
      await create(client, 'away', pod(name));
      await setStatus(client, 'away', name, waiting('CrashLoopBackOff', 3));
      await eventually(() => signals(db, 'away'), firing('CrashLoopBackOff'), 'the crash');
      const stop = cluster.faults.add({
        when: ({ verb }) => verb === 'watch' || verb === 'list',
        fault: { kind: 'answer', status: 503, body: 'no' },
      });
      await setStatus(client, 'away', name, ready(4));
      cluster.cutWatches();
      await setStatus(client, 'away', name, waiting('CrashLoopBackOff', 4));
      // Longer than healing takes here.
      await sleep(1_500);
      stop();
      await create(client, 'back', pod('web-5d4f8c7b9-ggggg'));
      await setStatus(client, 'back', 'web-5d4f8c7b9-ggggg', waiting('CrashLoopBackOff', 3));
      await eventually(() => signals(db, 'back'), firing('CrashLoopBackOff'), 'the watch to be back');
      assert.deepEqual(
        (await signals(db, 'away')).filter(({ kind }) => kind === 'CrashLoopBackOff').map(({ status }) => status),
        ['firing'],
      );
    });
  });

  it('a watch that hangs is given up and taken up again', async () => {
    await watching(
      async (client, cluster) => {
        cluster.faults.add({ when: ({ verb }) => verb === 'watch', times: 6, fault: { kind: 'hang' } });
        cluster.cutWatches();
        await create(client, 'hangs', pod('web-5d4f8c7b9-eeeee'));
        await setStatus(client, 'hangs', 'web-5d4f8c7b9-eeeee', waiting('CrashLoopBackOff', 3));
        await eventually(() => signals(db, 'hangs'), firing('CrashLoopBackOff'), 'the crash behind a hanging watch');
      },
      { idleMs: 300 },
    );
  });

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
        assert.ok(jobs?.brokenSince !== undefined, 'since when is told');
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

  it('an observation that the database refuses is dropped alone, and what comes with it and after it is written', async () => {
    await withCluster(async (client, cluster) => {
      const deps = quietDeps(db);
      await db.execute(
        `ALTER TABLE signals ADD CONSTRAINT refused CHECK (pod_name <> 'web-5d4f8c7b9-refused') NOT VALID`,
      );
      const source = await startWatch(cluster, deps);
      try {
        for (const name of ['web-5d4f8c7b9-refused', 'web-5d4f8c7b9-taken']) {
          await create(client, 'apart', pod(name));
          await setStatus(client, 'apart', name, waiting('CrashLoopBackOff', 3));
        }
        await eventually(
          () => signals(db, 'apart'),
          (rows) => rows.some((row) => row.kind === 'CrashLoopBackOff' && row.status === 'firing'),
          'the condition of the other pod',
        );
        await eventually(
          async () => deps.counted.get('watch_observations_dropped_total {"reason":"refused"}') ?? 0,
          (count) => count > 0,
          'the refused one counted',
        );
      } finally {
        await source.close();
        await db.execute('ALTER TABLE signals DROP CONSTRAINT refused');
      }
    });
  });

  it('a later process goes on with what an earlier one told of, and ends what ended meanwhile', async () => {
    await withCluster(async (client, cluster) => {
      const deps = quietDeps(db);
      const first = await startWatch(cluster, deps);
      await create(client, 'handed', pod('web-5d4f8c7b9-ggggg'));
      await create(client, 'handed', pod('web-5d4f8c7b9-hhhhh'));
      for (const name of ['web-5d4f8c7b9-ggggg', 'web-5d4f8c7b9-hhhhh']) {
        await setStatus(client, 'handed', name, waiting('CrashLoopBackOff', 3));
      }
      await eventually(
        () => signals(db, 'handed'),
        (rows) => rows.filter((row) => row.status === 'firing').length === 2,
        'two crashes',
      );
      await first.close();
      await client.delete('/api/v1/namespaces/handed/pods/web-5d4f8c7b9-ggggg', { gracePeriodSeconds: 0 });
      const second = await startWatch(cluster, deps);
      try {
        const rows = await eventually(
          () => signals(db, 'handed'),
          (found) => found.some((row) => row.kind === 'CrashLoopBackOff' && row.status === 'resolved'),
          'the end of the deleted one',
        );
        const crashes = rows.filter((row) => row.kind === 'CrashLoopBackOff');
        assert.deepEqual(crashes.map((row) => row.status).sort(), ['firing', 'resolved']);
        assert.ok(crashes.every((row) => row.owner === 'Deployment/web'));
      } finally {
        await second.close();
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
    it(`counts all pods and nodes in one row, those of ignored namespaces too, ${findsFaults ? 'beside looking for faults' : 'also where no fault is looked for'}`, async () => {
      await db.execute('DELETE FROM cluster_health');
      const namespace = `counted-${findsFaults}`;
      await watching(
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
        await new Promise((resolve) => setTimeout(resolve, 1_200));
        assert.deepEqual(await healthRows(), []);
      } finally {
        await source.close();
      }
    });
  });

  it('a leader whose lease is taken away writes no more, and another replica goes on', async () => {
    await withCluster(async (client, cluster) => {
      const first = await startWatch(cluster, quietDeps(db));
      await eventually(
        async () => first.health(),
        (health) => health.every((each) => each.synced),
        'the first to lead',
      );
      const second = await startWatch(cluster, quietDeps(db));
      try {
        assert.ok(second.health().every((each) => each.state === 'standby'));
        await create(client, 'taken', pod('web-5d4f8c7b9-iiiii'));
        await db.execute(
          `UPDATE leases SET run_id = gen_random_uuid(), epoch = epoch + 1, expires_at = app_now() + interval '100 milliseconds'
           WHERE kind = 'leader'`,
        );
        await setStatus(client, 'taken', 'web-5d4f8c7b9-iiiii', waiting('CrashLoopBackOff', 3));
        await eventually(
          async () => [...first.health(), ...second.health()].filter((each) => each.synced).length,
          (synced) => synced === first.health().length,
          'one of them to lead again',
        );
        const rows = await eventually(() => signals(db, 'taken'), firing('CrashLoopBackOff'), 'the crash');
        assert.equal(rows.filter((row) => row.kind === 'CrashLoopBackOff').length, 1);
      } finally {
        await first.close();
        await second.close();
      }
    });
  });
});
