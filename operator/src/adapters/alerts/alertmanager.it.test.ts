import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { createHttpClient } from '../../http/client.ts';
import { systemClock } from '../clock/clock.ts';
import { createPrometheusReader } from '../prometheus/prometheus.ts';
import { createAlertReader } from './alert-list.ts';
import { createAlertmanagerStates, NO_ALERTMANAGER } from './alertmanager.ts';

const HTTP = createHttpClient();
after(() => HTTP.close());

const WANTED = { labels: { alertname: 'KubePodCrashLooping', namespace: 'shop', deployment: 'checkout' } };

async function serving(listener: RequestListener, use: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const json =
  (body: unknown): RequestListener =>
  (_request, response) =>
    void response.end(JSON.stringify(body));

describe('the state of alerts at Alertmanager', () => {
  it('an alert with exactly these labels still fires, silenced or not; another of the name does not count', async () => {
    for (const [alerts, firing] of [
      [[{ labels: WANTED.labels, status: { state: 'active' } }], ['KubePodCrashLooping on shop/checkout']],
      [[{ labels: WANTED.labels, status: { state: 'suppressed' } }], ['KubePodCrashLooping on shop/checkout']],
      [[{ labels: { ...WANTED.labels, deployment: 'cart' } }], []],
      [[{ labels: { ...WANTED.labels, pod: 'x' } }], []],
      [[], []],
    ] as const)
      await serving(json(alerts), async (url) => {
        const states = createAlertmanagerStates({ http: HTTP, url, timeoutMs: 2_000 });
        assert.deepEqual(await states.stillFiring([WANTED]), { kind: 'answered', firing });
      });
  });

  it('asks by name, with its token', async () => {
    const asked: (string | undefined)[] = [];
    await serving(
      (request, response) => {
        asked.push(request.url, request.headers.authorization);
        response.end('[]');
      },
      async (url) => {
        await createAlertmanagerStates({ http: HTTP, url, timeoutMs: 2_000, token: 'secret' }).stillFiring([WANTED]);
      },
    );
    assert.deepEqual(asked, ['/api/v2/alerts?filter=alertname%3D%22KubePodCrashLooping%22', 'Bearer secret']);
  });

  it('asks behind the path prefix of its address, with or without a slash at the end', async () => {
    for (const slash of ['', '/']) {
      const asked: (string | undefined)[] = [];
      await serving(
        (request, response) => {
          asked.push(request.url?.split('?')[0]);
          response.end('[]');
        },
        async (url) => {
          const options = { http: HTTP, url: `${url}/monitoring/alertmanager${slash}`, timeoutMs: 2_000 };
          assert.equal((await createAlertmanagerStates(options).stillFiring([WANTED])).kind, 'answered');
          assert.equal((await createAlertReader(options).alerts()).kind, 'ok');
          assert.equal((await createAlertReader(options).silences()).kind, 'ok');
          const metrics = createPrometheusReader(systemClock, { ...options, url: `${url}/prometheus${slash}` });
          await metrics.instant('up');
        },
      );
      assert.deepEqual(asked, [
        '/monitoring/alertmanager/api/v2/alerts',
        '/monitoring/alertmanager/api/v2/alerts',
        '/monitoring/alertmanager/api/v2/silences',
        '/prometheus/api/v1/query',
      ]);
    }
  });

  it('an aborted question ends its request', async () => {
    const ended = Promise.withResolvers<void>();
    const stop = new AbortController();
    await serving(
      (_request, response) => {
        response.on('close', ended.resolve);
        stop.abort();
      },
      async (url) => {
        const answer = await createAlertReader({ http: HTTP, url, timeoutMs: 60_000 }).alerts(stop.signal);
        assert.equal(answer.kind, 'failure');
        await ended.promise;
      },
    );
  });

  it('what is no answer is unreachable, never quiet', async () => {
    const broken: readonly RequestListener[] = [
      (_request, response) => void response.writeHead(503).end(),
      (_request, response) => void response.end('<html>'),
      json({ status: 'success' }),
      (request) => void request.socket.destroy(),
      () => undefined,
    ];
    for (const listener of broken)
      await serving(listener, async (url) => {
        assert.equal(
          (await createAlertmanagerStates({ http: HTTP, url, timeoutMs: 200 }).stillFiring([WANTED])).kind,
          'unreachable',
        );
      });
    assert.equal(
      (await createAlertmanagerStates({ http: HTTP, url: 'http://127.0.0.1:1', timeoutMs: 500 }).stillFiring([WANTED]))
        .kind,
      'unreachable',
    );
  });

  it('not configured is a fact of its own', async () => {
    assert.deepEqual(await NO_ALERTMANAGER.stillFiring([WANTED]), { kind: 'not-configured' });
  });
});
