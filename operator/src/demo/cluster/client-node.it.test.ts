import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { it } from 'node:test';
import {
  ApiException,
  AppsV1Api,
  AuthorizationV1Api,
  CoreV1Api,
  KubeConfig,
  Log,
  Watch,
} from '@kubernetes/client-node';
import { makeServingCertificate } from './certificates.ts';
import { ADMIN } from './simulated-cluster.ts';
import { deploymentManifest, podManifest, withCluster } from './testing/raw-client.ts';

it('is a cluster like any other to the client library', { timeout: 30_000 }, () =>
  withCluster(async (_client, cluster) => {
    const config = new KubeConfig();
    config.loadFromString(cluster.kubeconfigFor(ADMIN));
    const core = config.makeApiClient(CoreV1Api);
    const apps = config.makeApiClient(AppsV1Api);
    const namespace = 'shop';

    const seen: string[] = [];
    const done = Promise.withResolvers<void>();
    const watch = await new Watch(config).watch(
      '/api/v1/namespaces/shop/pods',
      {},
      (type: string, object: { metadata: { name: string } }) => {
        seen.push(`${type} ${object.metadata.name}`);
        if (type === 'DELETED') done.resolve();
      },
      () => done.resolve(),
    );

    await core.createNamespacedPod({ namespace, body: podManifest('a') });
    const pods = await core.listNamespacedPod({ namespace, labelSelector: 'app=web', limit: 10 });
    assert.deepEqual(
      pods.items.map(({ metadata }) => metadata?.name),
      ['a'],
    );
    assert.ok(pods.items[0]?.metadata?.creationTimestamp instanceof Date);

    await apps.createNamespacedDeployment({ namespace, body: deploymentManifest('web') });
    const body = [
      { op: 'test', path: '/spec/replicas', value: 2 },
      { op: 'replace', path: '/spec/replicas', value: 3 },
    ];
    const patched = await apps.patchNamespacedDeployment({ namespace, name: 'web', body });
    assert.equal(patched.spec?.replicas, 3);
    await assert.rejects(
      apps.patchNamespacedDeployment({ namespace, name: 'web', body }),
      (error) => error instanceof ApiException && error.code === 422,
    );
    const scale = await apps.readNamespacedDeploymentScale({ namespace, name: 'web' });
    await apps.replaceNamespacedDeploymentScale({ namespace, name: 'web', body: { ...scale, spec: { replicas: 1 } } });

    const review = await config.makeApiClient(AuthorizationV1Api).createSelfSubjectAccessReview({
      body: { spec: { resourceAttributes: { verb: 'list', resource: 'pods' } } },
    });
    assert.equal(review.status?.allowed, true);

    await readLog(config, core);
    await core.deleteNamespacedPod({ namespace, name: 'a', body: { gracePeriodSeconds: 0 } });
    await done.promise;
    watch.abort();
    assert.deepEqual([seen[0], seen.at(-1)], ['ADDED a', 'DELETED a']);
  }),
);

async function readLog(config: KubeConfig, core: CoreV1Api): Promise<void> {
  const { certificatePem, keyPem } = await makeServingCertificate('kubelet', new Date());
  const kubelet = createServer({ cert: certificatePem, key: keyPem }, (_request, response) => response.end('hello\n'));
  await new Promise<void>((resolve) => kubelet.listen(0, '127.0.0.1', resolve));
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: (kubelet.address() as AddressInfo).port } },
  };
  try {
    await core.createNode({ body: { metadata: { name: 'n1' }, status } });
    await core.createNamespacedPodBinding({
      namespace: 'shop',
      name: 'a',
      body: { metadata: { name: 'a' }, target: { kind: 'Node', name: 'n1' } },
    });
    assert.equal(await core.readNamespacedPodLog({ namespace: 'shop', name: 'a', previous: true }), 'hello\n');
    const stream = new PassThrough();
    await new Log(config).log('shop', 'a', 'app', stream, { tailLines: 5 });
    const [line] = await stream.take(1).toArray();
    assert.equal(String(line), 'hello\n');
  } finally {
    kubelet.closeAllConnections();
    kubelet.close();
  }
}
