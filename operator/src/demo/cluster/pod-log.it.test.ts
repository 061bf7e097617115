import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { makeServingCertificate } from './certificates.ts';
import { POD_PATH, podManifest, type RawClient, withCluster } from './testing/raw-client.ts';

type Kubelet = (request: IncomingMessage, response: ServerResponse) => void;

/** A pod on a node whose kubelet answers by the given function. */
async function withKubelet(kubelet: Kubelet, use: (client: RawClient) => Promise<void>): Promise<void> {
  const { certificatePem, keyPem } = await makeServingCertificate('kubelet', new Date());
  const server = createServer({ cert: certificatePem, key: keyPem }, kubelet);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await withCluster(async (client) => {
      const status = {
        addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
        daemonEndpoints: { kubeletEndpoint: { Port: port } },
      };
      await client.post('/api/v1/nodes', { kind: 'Node', apiVersion: 'v1', metadata: { name: 'n1' }, status });
      await client.post(POD_PATH, podManifest('a'));
      await client.post(`${POD_PATH}/a/binding`, { target: { kind: 'Node', name: 'n1' } });
      await use(client);
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('logs through the simulated cluster', () => {
  it("come from the kubelet of the pod's node, with the options that were asked", () =>
    withKubelet(
      (request, response) => response.end(`asked ${request.url}\n`),
      async (client) => {
        const { status, headers, body } = await client.get(`${POD_PATH}/a/log?previous=true&tailLines=10`);
        assert.deepEqual([status, headers['content-type']], [200, 'text/plain']);
        assert.equal(body, 'asked /containerLogs/shop/a/app?previous=true&tailLines=10\n');
      },
    ));

  const refusals: Readonly<Record<string, readonly [code: number, text: string, status: number, reason: string]>> = {
    'a container that waits': [
      400,
      'container "app" in pod "a" is waiting to start: CrashLoopBackOff',
      400,
      'BadRequest',
    ],
    'no previous container': [400, 'previous terminated container "app" in pod "a" not found', 400, 'BadRequest'],
    'a pod unknown to its kubelet': [404, 'pod "a" not found', 404, 'NotFound'],
    'a kubelet in trouble': [500, 'disk on fire', 500, 'InternalError'],
  };
  for (const [sentence, [code, text, status, reason]] of Object.entries(refusals)) {
    it(`passes on what the kubelet says of ${sentence}`, () =>
      withKubelet(
        (_request, response) => response.writeHead(code).end(text),
        async (client) => {
          const answer = await client.get(`${POD_PATH}/a/log`);
          assert.deepEqual([answer.status, answer.body.reason], [status, reason]);
          assert.ok(answer.body.message.includes(text));
        },
      ));
  }

  it('are streamed as they come, and the kubelet hears when the reader goes away', async () => {
    const gone = Promise.withResolvers<void>();
    await withKubelet(
      (_request, response) => {
        response.write('{"line":1}\n');
        response.once('close', gone.resolve);
      },
      async (client) => {
        const stream = await client.watch(`${POD_PATH}/a/log?follow=true`);
        assert.deepEqual(await stream.next(), { line: 1 });
        stream.close();
        await gone.promise;
      },
    );
  });

  it('are refused for a container that the pod does not have, and empty where no kubelet has the pod', () =>
    withCluster(async (client) => {
      await client.post(POD_PATH, podManifest('b'));
      assert.match(
        (await client.get(`${POD_PATH}/b/log?container=x`)).body.message,
        /container x is not valid for pod b/,
      );
      assert.equal((await client.get(`${POD_PATH}/b/log`)).status, 204);
      const two = [
        { name: 'one', image: 'i:1' },
        { name: 'two', image: 'i:1' },
      ];
      await client.post(POD_PATH, podManifest('c', { spec: { containers: two } }));
      assert.match((await client.get(`${POD_PATH}/c/log`)).body.message, /choose one of: \[one two\]/);
      assert.equal((await client.get(`${POD_PATH}/none/log`)).status, 404);
    }));
});
