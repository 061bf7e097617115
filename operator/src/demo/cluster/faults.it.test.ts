import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RequestRecord } from './request-record.ts';
import { DEPLOYMENT_PATH, deploymentManifest, POD_PATH, podManifest, withCluster } from './testing/raw-client.ts';

describe('an unwell simulated cluster', () => {
  it('answers in place of the handler, as often as told', () =>
    withCluster(async (client, cluster) => {
      const when = ({ verb, resource }: { verb: string; resource: string }) => verb === 'list' && resource === 'pods';
      cluster.faults.add({
        when,
        times: 1,
        fault: {
          kind: 'answer',
          status: 429,
          reason: 'TooManyRequests',
          message: 'slow down',
          headers: { 'retry-after': '7' },
        },
      });
      const refused = await client.get(POD_PATH);
      assert.deepEqual([refused.status, refused.headers['retry-after'], refused.body.message], [429, '7', 'slow down']);
      assert.equal((await client.get(POD_PATH)).status, 200);
      const stop = cluster.faults.add({ when, fault: { kind: 'answer', status: 500, body: 'not even json' } });
      assert.equal((await client.get(POD_PATH)).status, 500);
      stop();
      assert.equal((await client.get(POD_PATH)).status, 200);
    }));

  it('hangs until the client gives up, and keeps that in its records', () =>
    withCluster(async (client, cluster) => {
      const noted = new Promise<RequestRecord>((resolve) => cluster.requests.subscribe(resolve));
      cluster.faults.add({ when: () => true, times: 1, fault: { kind: 'hang' } });
      const hung = client.get(POD_PATH);
      hung.catch(() => undefined);
      setTimeout(() => client.close(), 30);
      await assert.rejects(hung);
      assert.deepEqual([(await noted).verb, (await noted).status], ['list', 0]);
    }));

  it('drops a request undone, and loses the answer to one that it has done', () =>
    withCluster(async (client, cluster) => {
      const creating = ({ verb }: { verb: string }) => verb === 'create';
      cluster.faults.add({ when: creating, times: 1, fault: { kind: 'drop' } });
      await assert.rejects(client.post(POD_PATH, podManifest('a')), /hang up|ECONNRESET/);
      assert.equal((await client.get(`${POD_PATH}/a`)).status, 404);
      cluster.faults.add({ when: creating, times: 1, fault: { kind: 'lost-answer' } });
      await assert.rejects(client.post(POD_PATH, podManifest('a')), /hang up|ECONNRESET/);
      assert.equal((await client.get(`${POD_PATH}/a`)).status, 200);
    }));

  it('delays and then goes on', () =>
    withCluster(async (client, cluster) => {
      cluster.faults.add({ when: () => true, times: 1, fault: { kind: 'delay', milliseconds: 20 } });
      assert.equal((await client.get(POD_PATH)).status, 200);
    }));

  it('closes while requests hang and watches are open', async () => {
    await withCluster(async (client, cluster) => {
      const watch = await client.watch(`${POD_PATH}?watch=1`);
      cluster.faults.add({ when: () => true, fault: { kind: 'hang' } });
      const hung = client.get(POD_PATH);
      hung.catch(() => undefined);
      await cluster.close();
      await assert.rejects(hung);
      await watch.ended();
    });
  });
});

describe('the record of requests', () => {
  it('tells who wrote what, dry runs and refusals too, and takes questions for no writes', () =>
    withCluster(async (client, cluster) => {
      const ann = cluster.mintToken({ username: 'ann' });
      const start = cluster.requests.writes().length;
      await client.post(DEPLOYMENT_PATH, deploymentManifest('web'));
      const operations = [{ op: 'replace', path: '/spec/replicas', value: 3 }];
      await client.patch(`${DEPLOYMENT_PATH}/web?dryRun=All`, operations);
      await client.delete(`${DEPLOYMENT_PATH}/web`, undefined, { token: ann });
      await client.post(
        '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        { spec: { nonResourceAttributes: { verb: 'get', path: '/' } } },
        { token: ann },
      );
      const [created, patched, deleted, ...more] = cluster.requests.writes().slice(start);
      assert.deepEqual(
        [created?.user, created?.verb, created?.resource, created?.namespace, created?.status],
        ['kubernetes-admin', 'create', 'deployments', 'shop', 201],
      );
      assert.deepEqual(
        [patched?.name, patched?.dryRun, patched?.patchType, patched?.body],
        ['web', true, 'application/json-patch+json', operations],
      );
      assert.deepEqual([deleted?.user, deleted?.verb, deleted?.status], ['ann', 'delete', 403]);
      assert.deepEqual(more, []);
      assert.ok(cluster.requests.all().some(({ resource }) => resource === 'selfsubjectaccessreviews'));
    }));

  it('holds no secret', () =>
    withCluster(async (client, cluster) => {
      await client.post('/api/v1/namespaces/shop/secrets', {
        kind: 'Secret',
        apiVersion: 'v1',
        metadata: { name: 's' },
        stringData: { key: 'hunter2' },
      });
      assert.ok(!JSON.stringify(cluster.requests.all()).includes('hunter2'));
    }));
});
