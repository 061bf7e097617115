import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { configSchema } from '@hephaisto/core/config/schema';
import { checkMetrics, checkModel } from './model-checks.ts';

/** A server that answers each path with a status; what is not named is not found. */
async function answering(
  paths: Readonly<Record<string, readonly [number, unknown]>>,
  use: (url: string, asked: readonly http.IncomingMessage[]) => Promise<void>,
): Promise<void> {
  const asked: http.IncomingMessage[] = [];
  const server = http.createServer((request, response) => {
    asked.push(request);
    const [status, body] = paths[(request.url ?? '').split('?')[0] ?? ''] ?? [
      404,
      { error: { message: 'no such thing' } },
    ];
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const model = (over: Record<string, unknown>) =>
  configSchema.parse({ model: { name: 'm-1', apiKey: 'k', ...over } }).model;
const WIRES = [
  { provider: 'gemini', path: '/v1beta/models/m-1', base: '', body: { name: 'models/m-1' } },
  { provider: 'openai', path: '/v1/models/m-1', base: '/v1', body: { id: 'm-1', object: 'model' } },
] as const;

for (const { provider, path, base, body } of WIRES) {
  test(`${provider}: a model that is there is said to be, by a question that costs nothing`, async () => {
    await answering({ [path]: [200, body] }, async (url, asked) => {
      const finding = await checkModel(model({ provider, baseUrl: url + base }));
      assert.equal(finding.status, 'ok', finding.message);
      assert.deepEqual(
        asked.map(({ method }) => method),
        ['GET'],
      );
    });
  });
  const REFUSALS: Readonly<Record<string, readonly [number, RegExp]>> = {
    'a wrong key': [401, /apiKeyFile/],
    'a key that may not': [403, /m-1/],
    'an unknown model': [404, /model\.name/],
  };
  for (const [what, [status, remedy]] of Object.entries(REFUSALS)) {
    test(`${provider}: ${what} is told apart, with what is lost and what to do`, async () => {
      await answering({ [path]: [status, { error: { message: 'scripted' } }] }, async (url) => {
        const finding = await checkModel(model({ provider, baseUrl: url + base }));
        assert.equal(finding.status, 'missing');
        assert.match(finding.remedy ?? '', remedy);
        assert.match(finding.lost ?? '', /no rule knows/);
        assert.match(finding.message, new RegExp(String(status)));
      });
    });
  }
}

test('a server that is away, and no model at all, are said so', async () => {
  const away = await checkModel(model({ provider: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }));
  assert.deepEqual([away.status, /model\.baseUrl/.test(away.remedy ?? '')], ['missing', true]);
  assert.equal((await checkModel(configSchema.parse({}).model)).status, 'off');
});

test('Prometheus is asked the least that it can be asked', async () => {
  const vector = { status: 'success', data: { resultType: 'vector', result: [] } };
  await answering({ '/api/v1/query': [200, vector] }, async (url) => {
    const { prometheus } = configSchema.parse({ investigation: { prometheus: { url } } }).investigation;
    assert.equal((await checkMetrics(prometheus)).status, 'ok');
  });
  const { prometheus } = configSchema.parse({
    investigation: { prometheus: { url: 'http://127.0.0.1:9' } },
  }).investigation;
  const away = await checkMetrics(prometheus);
  assert.deepEqual([away.status, /prometheus\.url/.test(away.remedy ?? '')], ['missing', true]);
  assert.equal((await checkMetrics(configSchema.parse({}).investigation.prometheus)).status, 'off');
});
