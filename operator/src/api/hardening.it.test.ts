import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { parseConfig } from '@hephaisto/core/config/parse';
import { type ApiUnderTest, type SignedIn, startTestApi } from '@hephaisto/test/api';
import { startMetricsServer } from '../wiring/metrics-server.ts';
import { hasUnstorableText } from './storable-text.ts';

/** The status of a request with headers as given, several of one name included. */
function rawStatus(url: string, method: string, path: string, headers: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const call = request({ hostname, port, path, method, setHost: false, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    call.setTimeout(5_000, () => call.destroy(new Error('expected an answer within 5 s, found none')));
    call.on('error', reject);
    call.end();
  });
}

describe('what a stranger or a hostile request may do', () => {
  let api: ApiUnderTest;
  let ada: SignedIn;
  before(async () => {
    api = await startTestApi();
    ada = await api.signIn('ada');
  });
  after(() => api[Symbol.asyncDispose]());

  test('nobody learns from a schema what a route expects before it is known who asks', async () => {
    for (const [path, body] of [
      ['/api/v1/tokens', { role: 'none' }],
      ['/api/v1/incidents/not-an-id/note', {}],
      ['/api/v1/incidents?since=never', undefined],
      ['/api/v1/tokens', '{"broken'],
      ['/api/v1/incidents?unknown=1', undefined],
    ] as const) {
      const answer = await api.call(path, body === undefined ? {} : { body });
      assert.deepEqual([answer.status, answer.body.code], [401, 'unauthenticated'], path);
    }
    const large = await api.call('/api/v1/tokens', { body: { name: 'x'.repeat(400_000) } });
    assert.equal(large.status, 401);
  });

  test('no answer of the API may be kept by a cache, refusals included', async () => {
    for (const path of [
      '/api/v1/session',
      '/api/v1/incidents',
      '/api/v1/nowhere',
      '/api/v1/incidents/%zz',
      '/api/v1/openapi.json',
    ])
      for (const as of [undefined, ada]) {
        const answer = await api.call(path, as === undefined ? {} : { as });
        assert.equal(answer.headers.get('cache-control'), 'no-store', path);
      }
  });

  test('HEAD of the live stream ends at once and takes no place', async () => {
    const { host } = new URL(api.url);
    for (let n = 0; n < 8; n += 1)
      assert.equal(await rawStatus(api.url, 'HEAD', '/api/v1/stream', ['Host', host, 'Cookie', ada.cookie]), 404);
    const stop = new AbortController();
    const stream = await fetch(`${api.url}/api/v1/stream`, { headers: { cookie: ada.cookie }, signal: stop.signal });
    assert.equal(stream.status, 200);
    stop.abort();
  });

  test('two Host headers are refused everywhere, whichever comes first', async () => {
    const { host } = new URL(api.url);
    for (const path of ['/api/v1/session', '/livez', '/metrics', '/webhooks/alertmanager', '/docs'])
      for (const pair of [
        ['Host', host, 'Host', 'evil.example'],
        ['Host', 'evil.example', 'host', host],
      ])
        assert.equal(await rawStatus(api.url, 'GET', path, pair), 421, path);
  });

  test('metrics are answered by address and by known name, and not to a page that renamed our address', async () => {
    const { host, port } = new URL(api.url);
    const status = (name: string) => rawStatus(api.url, 'GET', '/metrics', ['Host', name]);
    for (const good of [host, '10.0.0.7:8080', '10.0.0.7', '[fd00::7]:8080', `localhost:${port}`])
      assert.equal(await status(good), 200, good);
    for (const bad of ['rebound.example', '', '10.0.0.7.rebound.example', 'x:8080'])
      assert.equal(await status(bad), 421, bad);
    const parsed = parseConfig({ server: { metricsPort: 0 } }, {});
    if (parsed.kind !== 'ok') throw new Error('expected a configuration');
    const server = await startMetricsServer(parsed.config.server, async () => ({
      contentType: 'text/plain',
      body: 'm',
    }));
    const url = server.url ?? '';
    assert.equal(await rawStatus(url, 'GET', '/metrics', ['Host', new URL(url).host]), 200);
    assert.equal(await rawStatus(url, 'GET', '/metrics', ['Host', 'rebound.example']), 421);
    assert.equal(await rawStatus(url, 'GET', '/metrics', ['Host', new URL(url).host, 'Host', 'x']), 421);
    await server.close();
  });

  test('a time that RFC 3339 allows is a filter whatever its offset, or refused', async () => {
    for (const list of ['incidents', 'signals', 'actions'])
      for (const [since, expected] of [
        ['9999-12-31T23:59:59+23:59', 200],
        ['0001-01-02T00:00:00-23:59', 200],
        ['9999-12-31T23:59:59-23:59', 400],
        ['0001-01-01T00:00:00+00:01', 400],
        ['2026-11-30T12:00:00+02:00', 200],
      ] as const) {
        const path = `/api/v1/${list}?since=${encodeURIComponent(since)}`;
        assert.equal((await api.call(path, { as: ada })).status, expected, `${list} ${since}`);
      }
  });

  test('a text that the database cannot keep is refused wherever it stands', async () => {
    const incident = '00000000-0000-4000-8000-000000000000';
    for (const answer of [
      await api.call('/api/v1/signals?namespace=shop%00', { as: ada }),
      await api.call(`/api/v1/incidents/${incident}/note`, { as: ada, body: { text: 'a\u0000b' } }),
      await api.call(`/api/v1/incidents/${incident}/note`, { as: ada, body: '{"text":"half \\ud800"}' }),
      await api.call('/api/v1/switches/emergency_stop%00', {
        as: ada,
        method: 'PUT',
        body: { value: 'on', reason: 'r' },
      }),
    ])
      assert.deepEqual([answer.status, answer.body.code], [400, 'invalid-request'], answer.text);
    let deep: unknown = 'a\u0000';
    for (let n = 0; n < 100_000; n += 1) deep = [deep];
    assert.equal(hasUnstorableText(deep), true);
  });
});
