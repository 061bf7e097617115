import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { parseConfig } from '@hephaisto/core/config/parse';
import type { Config } from '@hephaisto/core/config/schema';
import type { KubeReader } from '@hephaisto/core/ports/kube';
import { verifies } from '@hephaisto/test/verifies';
import { createAlertReader } from '../adapters/alerts/alert-list.ts';
import { systemClock } from '../adapters/clock/clock.ts';
import { createPrometheusReader } from '../adapters/prometheus/prometheus.ts';
import { createHttpClient } from '../http/client.ts';
import { openTools } from '../wiring/model.ts';
import { toolboxWith } from './telemetry-tools.ts';

const HTTP = createHttpClient();
after(() => HTTP.close());

const NO_READER = {} as KubeReader;

/** A server that answers each path with what is given, and remembers what it was asked. */
async function answering(
  bodies: Readonly<Record<string, unknown>>,
  use: (url: string, asked: URL[]) => Promise<void>,
): Promise<void> {
  const asked: URL[] = [];
  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://x');
    asked.push(url);
    const body = bodies[url.pathname];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function asking(url: string, name: string, args: unknown): Promise<string> {
  const sources = {
    metrics: createPrometheusReader(systemClock, { http: HTTP, url, timeoutMs: 2_000 }),
    alerting: createAlertReader({ http: HTTP, url, timeoutMs: 2_000 }),
  };
  const tool = toolboxWith(sources).get(name);
  assert.ok(tool !== undefined);
  const parsed = tool.schema.parse(args);
  const read = await tool.read(NO_READER, parsed, new AbortController().signal);
  return read.kind === 'failure' ? `${read.reason}: ${read.message}` : tool.view(read.value, parsed).text;
}

test('what is not configured is no tool', () => {
  const names = [...toolboxWith({}).keys()];
  assert.ok(!names.some((name) => /metrics|alerts|silences/.test(name)));
});

test('a series over time is told by its extremes, what moved most first, and never by all its points', async () => {
  const points = Array.from({ length: 500 }, (_, i) => [1_700_000_000 + i * 60, String(i === 250 ? 900 : 5)]);
  const flat = points.map(([at]) => [at, '1000']);
  const data = {
    resultType: 'matrix',
    result: [
      { metric: { pod: 'flat' }, values: flat },
      { metric: { pod: 'spike' }, values: points },
    ],
  };
  await answering({ '/api/v1/query_range': { status: 'success', data } }, async (url, asked) => {
    const text = await asking(url, 'query_metrics_range', { query: 'memory', minutes: 60, stepSeconds: 60 });
    assert.match(text, /^memory: 2 series\n\{pod="spike"\}: first 5, last 5, least 5, most 900/);
    assert.ok(text.length < 2_000);
    const [question] = asked;
    assert.equal(Number(question?.searchParams.get('end')) - Number(question?.searchParams.get('start')), 3_600);
  });
});

test('values now come largest first, and beyond twenty they are counted', async () => {
  const result = Array.from({ length: 30 }, (_, i) => ({
    metric: { pod: `p-${i}` },
    value: [1_700_000_000, String(i)],
  }));
  await answering({ '/api/v1/query': { status: 'success', data: { resultType: 'vector', result } } }, async (url) => {
    const text = await asking(url, 'query_metrics', { query: 'up' });
    assert.match(text, /^up: 30 values\n\{pod="p-29"\} = 29\n/);
    assert.match(text, /\[10 of 30 omitted\]$/);
  });
});

test('a window beyond a week and more points than anybody reads are refused before anything is asked', () => {
  const reader = createPrometheusReader(systemClock, { http: HTTP, url: 'http://127.0.0.1:9', timeoutMs: 100 });
  const schema = toolboxWith({ metrics: reader }).get('query_metrics_range')?.schema;
  assert.equal(schema?.safeParse({ query: 'up', minutes: 20_000, stepSeconds: 60 }).success, false);
  assert.equal(schema?.safeParse({ query: 'up', minutes: 10_080, stepSeconds: 5 }).success, false);
  assert.equal(schema?.safeParse({ query: 'up', minutes: 60, stepSeconds: 60 }).success, true);
});

test('alerts tell which are silenced, silences who set them and why', async () => {
  const alerts = [
    {
      labels: { alertname: 'Down', namespace: 'shop' },
      annotations: { summary: 'shop is down' },
      startsAt: '2026-01-01T00:00:00Z',
      status: { state: 'suppressed', silencedBy: ['s'] },
    },
    { labels: { alertname: 'Other' }, startsAt: '2026-01-01T00:00:00Z', status: { state: 'active' } },
  ];
  const matchers = [{ name: 'alertname', value: 'Down.*', isRegex: true, isEqual: true }];
  const silence = { matchers, endsAt: '2026-01-02T00:00:00Z', createdBy: 'ana', comment: 'planned work' };
  const silences = [
    { ...silence, status: { state: 'active' } },
    { ...silence, comment: 'long over', status: { state: 'expired' } },
  ];
  await answering({ '/api/v2/alerts': alerts, '/api/v2/silences': silences }, async (url) => {
    assert.match(
      await asking(url, 'get_alerts', { label: 'alertname=Down' }),
      /^alerts: 1\nsuppressed silenced .*: shop is down$/,
    );
    assert.equal(
      await asking(url, 'get_silences', {}),
      'silences in force: 1\nalertname=~Down.* until 2026-01-02T00:00:00Z by ana: planned work',
    );
  });
});

test('a server that answers something else, or not at all, is a failure that says so', async () => {
  await answering({ '/api/v1/query': 'hello', '/api/v2/alerts': { error: 'no' } }, async (url) => {
    assert.match(await asking(url, 'query_metrics', { query: 'up' }), /^malformed: /);
    assert.match(await asking(url, 'get_alerts', {}), /^malformed: /);
    assert.match(await asking(url, 'get_silences', {}), /^not-found: /);
  });
  assert.match(await asking('http://127.0.0.1:9', 'query_metrics', { query: 'up' }), /^unsent: /);
});

test('of a closed namespace neither metrics nor alerts nor silences are told', async () => {
  verifies('H3-78');
  const alert = (namespace: string) => ({
    labels: { alertname: 'Down', namespace },
    annotations: { summary: `${namespace} is down` },
    startsAt: '2026-01-01T00:00:00Z',
    status: { state: 'active' },
  });
  const silence = (value: string, isRegex: boolean) => ({
    matchers: [{ name: 'namespace', value, isRegex, isEqual: true }],
    endsAt: '2026-01-02T00:00:00Z',
    createdBy: 'ana',
    comment: `about ${value}`,
    status: { state: 'active' },
  });
  const bodies = {
    '/api/v1/query': { status: 'success', data: { resultType: 'vector', result: [] } },
    '/api/v2/alerts': [alert('shop'), alert('coder')],
    '/api/v2/silences': [silence('shop', false), silence('coder', false), silence('cod.*', true), silence('(', true)],
  };
  await answering(bodies, async (url, asked) => {
    const { config } = parseConfig(
      {
        investigation: { deniedNamespaces: ['coder'], prometheus: { url } },
        acting: { alertmanager: { url } },
      },
      {},
    ) as { config: Config };
    const tools = openTools(systemClock, HTTP, config);
    const ask = async (name: string, args: unknown) => {
      const tool = tools.get(name);
      const read = await tool?.read(NO_READER, args, new AbortController().signal);
      return read?.kind === 'ok' ? (tool?.view(read.value, args).text ?? '') : assert.fail(JSON.stringify(read));
    };
    await ask('query_metrics', { query: 'sum(up)' });
    assert.match(asked[0]?.searchParams.get('query') ?? '', /^sum\(up\{namespace!~"coder",.*\}\)$/);
    assert.match(await ask('get_alerts', {}), /^alerts: 1\n.*shop is down$/);
    assert.match(await ask('get_silences', {}), /^silences in force: 1\n.*about shop$/);
  });
});
