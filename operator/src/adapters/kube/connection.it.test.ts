import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ADMIN, type SimulatedCluster } from '../../demo/cluster/simulated-cluster.ts';
import { POD_PATH, podManifest, withCluster } from '../../demo/cluster/testing/raw-client.ts';
import { type KubeConnection, openKubeConnection } from './connection.ts';

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

async function connected(use: (connection: KubeConnection, cluster: SimulatedCluster) => Promise<void>): Promise<void> {
  await withCluster(async (client, cluster) => {
    await client.post(POD_PATH, podManifest('a'));
    const kubeconfigYaml = cluster.kubeconfigFor(ADMIN);
    const connection = await openKubeConnection({ kubeconfigYaml, defaultTimeoutMs: 5_000, log });
    try {
      await use(connection, cluster);
    } finally {
      connection.close();
    }
  });
}

const list = { method: 'GET', path: POD_PATH } as const;

describe('a connection to a cluster', { timeout: 60_000 }, () => {
  it('reads with the credentials of the kubeconfig', () =>
    connected(async (connection) => {
      const answer = await connection.request(list);
      assert.ok(answer.kind === 'ok');
      assert.equal(JSON.parse(answer.value.text).items.length, 1);
    }));

  it('a token in a file is read for each request, so that one renewed there is used at once', () =>
    withCluster(async (client, cluster) => {
      await client.post(POD_PATH, podManifest('a'));
      const folder = mkdtempSync(join(tmpdir(), 'hephaisto-token-'));
      const kubeconfigPath = join(folder, 'kubeconfig');
      const text = cluster.kubeconfigFor(ADMIN);
      writeFileSync(kubeconfigPath, text.replace(/^(\s+)token: .*$/m, '$1tokenFile: token'));
      writeFileSync(join(folder, 'token'), 'one-that-has-expired\n');
      const connection = await openKubeConnection({ kubeconfigPath, defaultTimeoutMs: 5_000, log });
      try {
        const before = await connection.request(list);
        writeFileSync(join(folder, 'token'), `${cluster.mintToken(ADMIN)}\n`);
        const after = await connection.request(list);
        rmSync(join(folder, 'token'));
        const gone = await connection.request(list);
        assert.deepEqual(
          [before, after, gone].map((answer) => (answer.kind === 'ok' ? 'ok' : answer.reason)),
          ['unauthorized', 'ok', 'unsent'],
        );
      } finally {
        connection.close();
        rmSync(folder, { recursive: true });
      }
    }));

  const ANSWERS: Readonly<Record<number, string>> = {
    400: 'invalid',
    401: 'unauthorized',
    403: 'forbidden',
    404: 'not-found',
    409: 'conflict',
    410: 'gone',
    422: 'invalid',
    429: 'too-many-requests',
    500: 'server-error',
    503: 'server-error',
    504: 'timeout',
  };
  for (const [status, reason] of Object.entries(ANSWERS)) {
    it(`${status} is ${reason}, with the server’s own words and patience`, () =>
      connected(async (connection, cluster) => {
        const headers = { 'retry-after': '3' };
        const fault = { kind: 'answer', status: Number(status), message: 'because of a test', headers } as const;
        cluster.faults.add({ when: ({ verb }) => verb === 'list', fault });
        const answer = await connection.request(list);
        assert.ok(answer.kind === 'failure');
        assert.deepEqual(
          [answer.reason, answer.status, answer.message, answer.retryAfterSeconds],
          [reason, Number(status), 'because of a test', 3],
        );
      }));
  }

  it('asks again after a minute where the server asks for a day: a watch would be blind for as long', () =>
    connected(async (connection, cluster) => {
      const fault = { kind: 'answer', status: 429, message: 'later', headers: { 'retry-after': '86400' } } as const;
      cluster.faults.add({ when: ({ verb }) => verb === 'list', fault });
      const answer = await connection.request(list);
      assert.equal(answer.kind === 'failure' && answer.retryAfterSeconds, 60);
    }));

  it('silence is a timeout, a broken connection is cut: the server may have acted', () =>
    connected(async (connection, cluster) => {
      const creating = ({ verb }: { verb: string }): boolean => verb === 'create';
      const call = { method: 'POST', path: POD_PATH, body: JSON.stringify(podManifest('b')), timeoutMs: 200 } as const;
      const headers = { 'content-type': 'application/json' };
      cluster.faults.add({ when: creating, times: 1, fault: { kind: 'hang' } });
      const silent = await connection.request({ ...call, headers });
      assert.equal(silent.kind === 'failure' && silent.reason, 'timeout');
      cluster.faults.add({ when: creating, times: 1, fault: { kind: 'lost-answer' } });
      const cut = await connection.request({ ...call, headers });
      assert.equal(cut.kind === 'failure' && cut.reason, 'cut');
      const there = await connection.request({ method: 'GET', path: `${POD_PATH}/b` });
      assert.equal(there.kind, 'ok');
    }));

  it('nobody there, or a server that cannot be trusted, is unsent: certainly nothing happened', async () => {
    let kubeconfigYaml = '';
    await connected(async (_connection, cluster) => {
      kubeconfigYaml = cluster.kubeconfigFor(ADMIN);
      await withCluster(async (_client, other) => {
        const port = new URL(other.url).port;
        const stranger = kubeconfigYaml.replaceAll(new URL(cluster.url).port, port);
        const connection = await openKubeConnection({ kubeconfigYaml: stranger, defaultTimeoutMs: 2_000, log });
        const answer = await connection.request(list);
        assert.equal(answer.kind === 'failure' && answer.reason, 'unsent');
        assert.ok(other.requests.all().every(({ resource }) => resource !== 'pods'));
        connection.close();
      });
    });
    const connection = await openKubeConnection({ kubeconfigYaml, defaultTimeoutMs: 2_000, log });
    const answer = await connection.request(list);
    assert.equal(answer.kind === 'failure' && answer.reason, 'unsent');
    connection.close();
  });

  it('a server behind a path prefix, as Rancher serves clusters, is asked there', async () => {
    const asked: (string | undefined)[] = [];
    const server = createHttpServer((request, response) => {
      asked.push(request.url);
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    for (const slash of ['', '/']) {
      const url = `http://127.0.0.1:${port}/k8s/clusters/c-m-1${slash}`;
      const kubeconfigYaml = JSON.stringify({
        clusters: [{ name: 'c', cluster: { server: url, 'insecure-skip-tls-verify': true } }],
        users: [{ name: 'u', user: { token: 't' } }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      });
      const connection = await openKubeConnection({ kubeconfigYaml, defaultTimeoutMs: 2_000, log });
      const answer = await connection.request({ method: 'GET', path: '/api/v1/pods', query: { limit: '1' } });
      assert.equal(answer.kind === 'failure' ? answer.message : '', '');
      connection.close();
    }
    server.close();
    assert.deepEqual(asked, ['/k8s/clusters/c-m-1/api/v1/pods?limit=1', '/k8s/clusters/c-m-1/api/v1/pods?limit=1']);
  });

  it('a server that accepts and never shakes hands is unsent too', async () => {
    const server = createTcpServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await connected(async (_connection, cluster) => {
      const kubeconfigYaml = cluster.kubeconfigFor(ADMIN).replaceAll(new URL(cluster.url).port, String(port));
      const connection = await openKubeConnection({ kubeconfigYaml, defaultTimeoutMs: 150, log });
      const answer = await connection.request(list);
      assert.equal(answer.kind === 'failure' && answer.reason, 'unsent');
      connection.close();
    });
    server.close();
  });

  it('an answer larger than allowed is malformed', () =>
    connected(async (connection) => {
      const answer = await connection.request({ ...list, maxBytes: 100 });
      assert.equal(answer.kind === 'failure' && answer.reason, 'malformed');
    }));

  it('passes on whole lines only; half a line is a cut', () =>
    connected(async (connection, cluster) => {
      cluster.faults.add({
        when: ({ verb }) => verb === 'watch',
        times: 1,
        fault: { kind: 'cut-watch', afterEvents: 1 },
      });
      const { request } = connection;
      const lines: string[] = [];
      const watching = connection.stream({ ...list, query: { watch: 'true' } }, (line) => lines.push(line));
      const second = JSON.stringify(podManifest('second'));
      await request({ method: 'POST', path: POD_PATH, body: second, headers: { 'content-type': 'application/json' } });
      const end = await watching;
      assert.equal(end.kind === 'failure' && end.reason, 'cut');
      assert.equal(lines.length, 1);
      for (const line of lines) JSON.parse(line);
    }));

  it('stops when its caller says so', () =>
    connected(async (connection) => {
      const stop = new AbortController();
      const watching = connection.stream({ ...list, query: { watch: 'true' }, signal: stop.signal }, () =>
        stop.abort(),
      );
      const end = await watching;
      assert.deepEqual(end.kind === 'failure' && [end.reason, end.message], ['cut', 'stopped by the caller']);
    }));

  it('names nothing, opens nothing', async () => {
    await assert.rejects(openKubeConnection({ defaultTimeoutMs: 1, log }), /expected a kubeconfig/);
  });
});
