import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parseConfig } from '@hephaisto/core/config/parse';
import type { Config } from '@hephaisto/core/config/schema';
import { alert, webhookBody } from '@hephaisto/test/alerts';
import { createTestDatabase, type TestDatabase } from '@hephaisto/test/database';
import { systemClock } from './adapters/clock/clock.ts';
import { createIds } from './adapters/ids/ids.ts';
import { ADMIN, type SimulatedCluster, startSimulatedCluster } from './demo/cluster/simulated-cluster.ts';
import { createOperatorIdentity, OPERATOR } from './demo/identity/operator-identity.ts';
import { type Operator, startOperator } from './main.ts';

const TOKEN = 'a-webhook-token-for-tests';
const PATIENCE_MS = 20_000;

function config(overrides: Record<string, unknown> = {}): Config {
  const parsed = parseConfig(
    {
      server: { port: 0, metricsPort: 0, maxEventLoopDelay: '10m', alertmanager: { token: TOKEN } },
      telemetry: { logLevel: 'error' },
      ...overrides,
    },
    {},
  );
  if (parsed.kind === 'refused') throw new Error(JSON.stringify(parsed.problems));
  return parsed.config;
}

async function signIn(operator: Operator, subject: string): Promise<{ cookie: string }> {
  const link = new URL(await operator.signInUrl(subject));
  const answer = await fetch(`${operator.url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: link.searchParams.get('token') }),
  });
  assert.equal(answer.status, 200);
  return { cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '' };
}

describe('the whole operator on a simulated cluster', () => {
  let cluster: SimulatedCluster;
  let db: TestDatabase;
  let operator: Operator;
  let kubeconfigYaml: string;
  const lines: string[] = [];

  before(async () => {
    cluster = await startSimulatedCluster({ now: () => new Date(), ids: createIds(systemClock) });
    await createOperatorIdentity(cluster.kubeconfigFor(ADMIN));
    const { namespace, serviceAccount: name } = OPERATOR;
    kubeconfigYaml = cluster.kubeconfigFor({ serviceAccount: { namespace, name } });
    db = await createTestDatabase();
    operator = await startOperator(config(), { kubeconfigYaml, database: db, writeLog: (line) => lines.push(line) });
  });
  after(async () => {
    await operator.close();
    await db.close();
    await cluster.close();
  });

  async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const seen = await look();
      if (seen !== undefined) return seen;
      assert.ok(performance.now() < end, `not in time; logged: ${lines.join('')}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  test('a posted alert becomes an incident that was looked into and is read through the API', async () => {
    const body = webhookBody([
      alert({
        labels: { alertname: 'KubePodCrashLooping', namespace: 'shop', deployment: 'web', severity: 'critical' },
      }),
    ]);
    const posted = await fetch(`${operator.url}/webhooks/alertmanager`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body,
    });
    assert.equal(posted.status, 200, await posted.text());
    const headers = await signIn(operator, 'admin');
    const report = await until(async () => {
      const listed = await fetch(`${operator.url}/api/v1/incidents?namespace=shop`, { headers });
      const { items } = (await listed.json()) as { items: { id: string; state: string }[] };
      return items.find((item) => item.state === 'Escalated' || item.state === 'AwaitingApproval');
    });
    const read = await fetch(`${operator.url}/api/v1/incidents/${report.id}`, { headers });
    const whole = (await read.json()) as {
      investigations: { steps: unknown[] }[];
      verdict: { certainty: string };
      plan: unknown;
    };
    assert.ok((whole.investigations[0]?.steps.length ?? 0) > 0);
    assert.equal(whole.verdict.certainty, 'not_established');
  });

  test('it says that it is ready, what it can reach, and what it measures, on a port of its own', async () => {
    await until(async () => ((await fetch(`${operator.url}/readyz`)).status === 200 ? true : undefined));
    const verbose = await (await fetch(`${operator.url}/readyz?verbose`)).text();
    assert.match(verbose, /\[\+\] database: .*\n\[\+\] sources: /);
    const headers = await signIn(operator, 'admin');
    const health = (await (await fetch(`${operator.url}/api/v1/health`, { headers })).json()) as {
      components: { name: string; status: string }[];
      cluster: { id: string };
    };
    assert.equal(health.cluster.id, operator.cluster);
    assert.equal(health.components.find((each) => each.name === 'watch')?.status, 'ok');
    assert.equal((await fetch(`${operator.url}/metrics`)).status, 404);
    assert.ok(operator.metricsUrl);
    const metrics = await (await fetch(operator.metricsUrl)).text();
    assert.match(metrics, /hephaisto_incidents_open\{severity="critical"\} 1/);
    assert.match(metrics, /hephaisto_alerts_received_total\{source="alertmanager",outcome="stored"\} 1/);
    assert.match(metrics, /hephaisto_signals_total\{source="alertmanager",kind="CrashLoopBackOff"\} 1/);
    assert.match(metrics, /hephaisto_incident_transitions_total\{edge="I1",to="Detected"\} 1/);
    assert.match(metrics, /hephaisto_informer_relists_total\{resource="pods",reason="start"\} \d+/);
    assert.doesNotMatch(metrics, /metrics_refused_total\{/);
  });

  test('the emergency stop set by a person is in force at once and is told to whoever listens', async () => {
    const headers = await signIn(operator, 'admin');
    const { csrfToken } = (await (await fetch(`${operator.url}/api/v1/session`, { headers })).json()) as {
      csrfToken: string;
    };
    const put = await fetch(`${operator.url}/api/v1/switches/emergency_stop`, {
      method: 'PUT',
      headers: { ...headers, 'x-csrf-token': csrfToken, 'content-type': 'application/json' },
      body: JSON.stringify({ value: 'on', reason: 'test' }),
    });
    const changed = (await put.json()) as { effective: string; arms: Record<string, string>; version: number };
    assert.deepEqual(
      [put.status, changed.effective, changed.arms.database],
      [200, 'on', 'on'],
      JSON.stringify(changed),
    );
  });

  test('people take the incident, and the second who edits what the first has changed is told so', async () => {
    const headers = await signIn(operator, 'admin');
    const { csrfToken } = (await (await fetch(`${operator.url}/api/v1/session`, { headers })).json()) as {
      csrfToken: string;
    };
    const post = (path: string, body: unknown, extra: Record<string, string> = {}) =>
      fetch(`${operator.url}/api/v1/incidents/1/${path}`, {
        method: 'POST',
        headers: { ...headers, ...extra, 'x-csrf-token': csrfToken, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const etag = (await fetch(`${operator.url}/api/v1/incidents/1`, { headers })).headers.get('etag') ?? '';
    const [first, second] = [
      await post('assign', { assignee: 'admin' }, { 'if-match': etag }),
      await post('assign', { assignee: null }, { 'if-match': etag }),
    ];
    assert.deepEqual([first.status, second.status], [200, 412]);
    assert.equal((await post('ack', {})).status, 200);
    const again = (await (await post('ack', {})).json()) as { code: string; details: { by: string } };
    assert.deepEqual([again.code, again.details.by], ['already-acknowledged', 'admin']);
    assert.equal((await post('note', { text: 'looking' })).status, 200);
    const nobody = (await (
      await post(
        'assign',
        { assignee: 'nobody-here' },
        { 'if-match': (await fetch(`${operator.url}/api/v1/incidents/1`, { headers })).headers.get('etag') ?? '' },
      )
    ).json()) as { code: string };
    assert.equal(nobody.code, 'person-not-found');
    assert.equal((await post('close', { reason: 'seen' })).status, 200);
    assert.equal(((await (await post('close', { reason: 'seen' })).json()) as { code: string }).code, 'already-closed');
  });

  test('it starts again where it was left, and an account keeps its session', async () => {
    const headers = await signIn(operator, 'admin');
    await operator.close();
    await operator.close();
    operator = await startOperator(config(), { kubeconfigYaml, database: db, writeLog: (line) => lines.push(line) });
    const listed = await fetch(`${operator.url}/api/v1/incidents`, { headers });
    assert.equal(((await listed.json()) as { total: number }).total, 1);
    const { items } = (await (await fetch(`${operator.url}/api/v1/switches`, { headers })).json()) as {
      items: { name: string; effective: string }[];
    };
    assert.equal(items.find((each) => each.name === 'emergency_stop')?.effective, 'on');
  });

  test('without a cluster it does not start, and leaves nothing running', async () => {
    const away = kubeconfigYaml.replace(cluster.url, 'https://127.0.0.1:1');
    await assert.rejects(startOperator(config(), { kubeconfigYaml: away, database: db }), {
      name: 'ClusterUnreachable',
    });
    await assert.rejects(startOperator(config(), { kubeconfigYaml, database: db, policyText: 'version: 2' }), {
      name: 'PolicyRefused',
    });
  });
});
