import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Timers } from '@hephaisto/core/ports/clock';
import { createTestDatabase, type TestDatabase } from '@hephaisto/test/database';
import { addLocalCluster, quietDeps } from '@hephaisto/test/stage-deps';
import { verifies } from '@hephaisto/test/verifies';
import { eventually, startWatch } from '@hephaisto/test/watch-world';
import { systemTimers } from '../../adapters/clock/clock.ts';
import { withCluster } from '../../demo/cluster/testing/raw-client.ts';
import {
  create,
  firing,
  pod,
  ready,
  resolved,
  setStatus,
  signals,
  waiting,
  watching,
} from './cluster-source.fixture.ts';

/** Longer than the process lives. */
const NEVER_MS = 86_400_000;

/** Timers that ring only when they are shorter than the limit: a longer wait lasts until it is cancelled. */
function timersBelow(limitMs: number): Timers {
  const wait = (ms: number) => (ms < limitMs ? ms : NEVER_MS);
  return {
    after: (ms, callback) => systemTimers.after(wait(ms), callback),
    sleep: (ms, signal) => systemTimers.sleep(wait(ms), signal),
  };
}

describe('watching a cluster', { timeout: 60_000 }, () => {
  let db: TestDatabase;
  before(async () => {
    db = await createTestDatabase();
    await addLocalCluster(db);
  });
  after(() => db.close());

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

  it('finds each fault of a pod under its Deployment, and its end, with no timer of half a second or more', async () => {
    verifies('H3-1', 'H3-32');
    await watching(
      db,
      async (client) => {
        for (const [index, { kind, status }] of Object.values(FAULTS).entries()) {
          const namespace = `fault-${index}`;
          await create(client, namespace, pod('web-5d4f8c7b9-x7k2p'));
          await setStatus(client, namespace, 'web-5d4f8c7b9-x7k2p', status);
          const rows = await eventually(() => signals(db, namespace), firing(kind), kind);
          assert.equal(rows[0]?.owner, 'Deployment/web');
          assert.equal(rows[0]?.disposition, 'pending');
          await setStatus(client, namespace, 'web-5d4f8c7b9-x7k2p', ready(3));
          await eventually(() => signals(db, namespace), resolved(kind), `the end of ${kind}`);
        }
      },
      { timers: timersBelow(500) },
    );
  });

  it('one crash that recovers is kept as benign and fires nothing', async () => {
    await watching(db, async (client) => {
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
    await watching(db, async (client) => {
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
    await watching(db, async (client, cluster) => {
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
    await watching(db, async (client, cluster) => {
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
      db,
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
