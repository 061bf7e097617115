import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { POD_PATH, podManifest, type RawClient, withCluster } from './testing/raw-client.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

async function makePods(client: RawClient, ...names: readonly string[]): Promise<void> {
  for (const name of names) await client.post(POD_PATH, podManifest(name, { labels: { tier: name } }));
}

const names = (body: { items: { metadata: { name: string } }[] }) => body.items.map(({ metadata }) => metadata.name);

describe('reading the simulated cluster', () => {
  it('tells what it serves, in the aggregated and in the plain form', () =>
    withCluster(async (client) => {
      const aggregated = await client.get('/apis', {
        accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json',
      });
      const apps = aggregated.body.items.find((item: { metadata: { name: string } }) => item.metadata.name === 'apps');
      const plain = await client.get('/apis/apps/v1');
      assert.match(aggregated.headers['content-type'] ?? '', /as=APIGroupDiscoveryList/);
      assert.deepEqual(
        apps.versions[0].resources.map((each: { resource: string }) => each.resource),
        plain.body.resources.map((each: { name: string }) => each.name).filter((name: string) => !name.includes('/')),
      );
      const scale = plain.body.resources.find((each: { name: string }) => each.name === 'deployments/scale');
      assert.deepEqual([scale.kind, scale.group], ['Scale', 'autoscaling']);
      assert.equal((await client.get('/version')).body.gitVersion, 'v1.36.3');
      for (const path of ['/livez', '/readyz']) assert.equal((await client.get(path)).body, 'ok');
      assert.equal((await client.get('/nothing')).status, 404);
    }));

  it('lists without kind in the items, with a revision to watch from', () =>
    withCluster(async (client, cluster) => {
      await makePods(client, 'a');
      const { body } = await client.get(POD_PATH);
      assert.equal(body.kind, 'PodList');
      assert.equal(body.metadata.resourceVersion, String(cluster.store.revision()));
      assert.equal(body.items[0].kind, undefined);
      assert.equal((await client.get(`${POD_PATH}/a`)).body.kind, 'Pod');
    }));

  it('pages through one state of the list, whatever changes meanwhile', () =>
    withCluster(async (client, cluster) => {
      await makePods(client, 'a', 'b', 'c', 'd', 'e');
      const first = await client.get(`${POD_PATH}?limit=2`);
      await client.delete(`${POD_PATH}/d`);
      await makePods(client, 'f');
      const path = `${POD_PATH}?limit=2&continue=`;
      const second = await client.get(path + first.body.metadata.continue);
      const third = await client.get(path + second.body.metadata.continue);
      assert.deepEqual(
        [first, second, third].map(({ body }) => names(body)),
        [['a', 'b'], ['c', 'd'], ['e']],
      );
      assert.equal(first.body.metadata.remainingItemCount, 3);
      assert.equal(third.body.metadata.continue, undefined);
      assert.equal(third.body.metadata.resourceVersion, first.body.metadata.resourceVersion);
      cluster.compact();
      assert.equal((await client.get(`${path}made-up`)).status, 400);
      const late = await client.get(path + first.body.metadata.continue);
      assert.deepEqual([late.status, late.body.reason], [410, 'Expired']);
    }));

  const selections: Readonly<Record<string, readonly [query: string, found: readonly string[]]>> = {
    'label equal': ['labelSelector=tier=a', ['a']],
    'label unequal': ['labelSelector=tier!=a', ['b', 'c']],
    'label in a set': ['labelSelector=tier in (a, c)', ['a', 'c']],
    'label not in a set, and another': ['labelSelector=tier notin (a),app==web', ['b', 'c']],
    'label present': ['labelSelector=tier', ['a', 'b', 'c']],
    'label absent': ['labelSelector=!tier', []],
    'field name': ['fieldSelector=metadata.name=b', ['b']],
    'field phase unequal': ['fieldSelector=status.phase!=Pending', []],
    'field node': ['fieldSelector=spec.nodeName=', ['a', 'b', 'c']],
  };
  for (const [sentence, [query, found]] of Object.entries(selections)) {
    it(`selects by ${sentence}`, () =>
      withCluster(async (client) => {
        await makePods(client, 'a', 'b', 'c');
        assert.deepEqual(names((await client.get(`${POD_PATH}?${encodeURI(query)}`)).body), found);
      }));
  }

  it('refuses selectors that it does not understand', () =>
    withCluster(async (client) => {
      const field = await client.get(`${POD_PATH}?fieldSelector=spec.color=red`);
      assert.deepEqual([field.status, field.body.reason], [400, 'BadRequest']);
      assert.match(field.body.message, /field label not supported: spec.color/);
      const label = await client.get(`${POD_PATH}?labelSelector=${encodeURIComponent('a in b')}`);
      assert.equal(label.status, 400);
    }));

  it('shows pods as a table, with what a crash looks like', () =>
    withCluster(async (client, cluster) => {
      await makePods(client, 'a');
      const crashed = {
        name: 'app',
        restartCount: 4,
        ready: false,
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: { terminated: { exitCode: 1, finishedAt: new Date(Date.now() - 90_500).toISOString() } },
      };
      const pods = { group: '', version: 'v1', resource: 'pods' };
      const pod = cluster.store.get(pods, 'shop', 'a');
      assert.ok(pod);
      cluster.store.update(pods, { ...pod, status: { phase: 'Running', containerStatuses: [crashed] } }, 'status');
      const { body } = await client.get(POD_PATH, { accept: TABLE });
      assert.deepEqual(body.rows[0].cells.slice(0, 4), ['a', '0/1', 'CrashLoopBackOff', '4 (90s ago)']);
      assert.equal(body.rows[0].object.kind, 'PartialObjectMetadata');
      assert.equal(body.columnDefinitions.length, body.rows[0].cells.length);
      const whole = await client.get(`${POD_PATH}?includeObject=Object`, { accept: TABLE });
      assert.equal(whole.body.rows[0].object.kind, 'Pod');
      const refused = await client.get(POD_PATH, { accept: 'application/vnd.kubernetes.protobuf' });
      assert.equal(refused.status, 406);
    }));

  it("serves one event through both groups, under each one's names", () =>
    withCluster(async (client) => {
      const event = {
        kind: 'Event',
        apiVersion: 'events.k8s.io/v1',
        metadata: { name: 'e' },
        eventTime: '2026-01-01T00:00:00.000000Z',
        reportingController: 'hephaisto',
        reportingInstance: 'one',
        action: 'Rollback',
        reason: 'RemediationApplied',
        type: 'Normal',
        note: 'rolled back',
        regarding: { kind: 'Pod', namespace: 'shop', name: 'a', uid: 'u' },
      };
      const path = '/apis/events.k8s.io/v1/namespaces/shop/events';
      assert.equal((await client.post(path, event)).status, 201);
      const older = await client.get('/api/v1/namespaces/shop/events?fieldSelector=involvedObject.name=a,type=Normal');
      assert.deepEqual([older.body.items[0].message, older.body.items[0].involvedObject.uid], ['rolled back', 'u']);
      const newer = await client.get(`${path}?fieldSelector=regarding.name=a`);
      assert.deepEqual([newer.body.items[0].note, newer.body.items[0].regarding.kind], ['rolled back', 'Pod']);
      const { action: _, ...incomplete } = event;
      assert.equal((await client.post(path, { ...incomplete, metadata: { name: 'f' } })).status, 422);
    }));
});
