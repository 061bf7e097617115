import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseConfig } from '@hephaisto/core/config/parse';
import type { IncidentReport } from '@hephaisto/core/report/incident';
import { systemClock } from '@hephaisto/operator/adapters/clock/clock';
import { createIds } from '@hephaisto/operator/adapters/ids/ids';
import type { Fault } from '@hephaisto/operator/demo/cluster/faults';
import {
  ADMIN,
  type SimulatedCluster,
  startSimulatedCluster,
} from '@hephaisto/operator/demo/cluster/simulated-cluster';
import { type PersonClient, signIn } from '@hephaisto/operator/demo/director/person';
import { createOperatorIdentity, OPERATOR } from '@hephaisto/operator/demo/identity/operator-identity';
import { type KubeClient, kubeClient } from '@hephaisto/operator/demo/kube-client/kube-client';
import { DEPLOYMENTS, NAMESPACES, PODS } from '@hephaisto/operator/demo/kube-client/resource';
import { deployment, inNamespace } from '@hephaisto/operator/demo/stories/manifests';
import { type Operator, startOperator } from '@hephaisto/operator/main';
import { alert, webhookBody } from '../../src/alerts.ts';
import { createTestDatabase, type TestDatabase } from '../../src/database.ts';

const TOKEN = 'a-webhook-token-for-tests';
const PATIENCE_MS = 30_000;

/** What an API server does to reads of the investigation, and the word for the gap that it leaves. */
const UNWELL: Readonly<Record<string, { readonly fault: Fault; readonly gap: RegExp }>> = {
  'answers 403': { fault: answer(403, 'Forbidden'), gap: /forbidden/ },
  'answers 404': { fault: answer(404, 'NotFound'), gap: /not-found/ },
  'answers 409': { fault: answer(409, 'Conflict'), gap: /unavailable/ },
  'answers 410': { fault: answer(410, 'Expired'), gap: /expired/ },
  'answers 422': { fault: answer(422, 'Invalid'), gap: /not-found/ },
  'answers 429': { fault: answer(429, 'TooManyRequests', { 'retry-after': '1' }), gap: /unavailable/ },
  'answers 500': { fault: answer(500, 'InternalError'), gap: /unavailable/ },
  'answers 503': { fault: answer(503, 'ServiceUnavailable'), gap: /unavailable/ },
  'answers with what is no JSON': { fault: { kind: 'answer', status: 200, body: '<html>' }, gap: /malformed/ },
  hangs: { fault: { kind: 'hang' }, gap: /timeout/ },
  'breaks the connection': { fault: { kind: 'drop' }, gap: /timeout|unavailable/ },
};

function answer(status: number, reason: string, headers: Readonly<Record<string, string>> = {}): Fault {
  return { kind: 'answer', status, reason, message: `the server says ${reason}`, headers };
}

describe('an API server that is not well', { timeout: 120_000 }, () => {
  let cluster: SimulatedCluster;
  let client: KubeClient;
  let db: TestDatabase;
  let operator: Operator;
  let vic: PersonClient;

  before(async () => {
    cluster = await startSimulatedCluster({ now: () => new Date(), ids: createIds(systemClock) });
    client = kubeClient(cluster.kubeconfigFor(ADMIN), 'test');
    await createOperatorIdentity(cluster.kubeconfigFor(ADMIN));
    db = await createTestDatabase();
    const parsed = parseConfig(
      {
        server: { port: 0, maxEventLoopDelay: '10m', alertmanager: { token: TOKEN } },
        investigation: { callTimeout: '400ms', concurrency: 8 },
        incidents: { stormLimit: 100 },
        ingest: { watch: { config: '50ms', firstCrash: '50ms', idle: '5s' } },
        acting: { initialMode: 'approve' },
        telemetry: { logLevel: 'error' },
      },
      {},
    );
    assert.ok(parsed.kind !== 'refused', JSON.stringify(parsed));
    const { namespace, serviceAccount: name } = OPERATOR;
    operator = await startOperator(parsed.config, {
      kubeconfigYaml: cluster.kubeconfigFor({ serviceAccount: { namespace, name } }),
      database: db,
      writeLog: () => undefined,
    });
    vic = await signIn(await operator.signInUrl('admin'));
  });
  after(async () => {
    await operator.close();
    client.close();
    await db.close();
    await cluster.close();
  });

  async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const seen = await look();
      if (seen !== undefined) return seen;
      assert.ok(performance.now() < end, `not in time: ${what}`);
      await sleep(30);
    }
  }

  async function fire(namespace: string): Promise<void> {
    const labels = { alertname: 'KubePodCrashLooping', namespace, deployment: 'web', severity: 'critical' };
    const posted = await fetch(`${operator.url}/webhooks/alertmanager`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: webhookBody([alert({ labels })]),
    });
    assert.equal(posted.status, 200, await posted.text());
  }

  function report(namespace: string): Promise<IncidentReport> {
    return until(`the incident of ${namespace} is with a person`, async () => {
      const { items } = await vic.get<{ items: { id: string; state: string }[] }>(
        `/api/v1/incidents?namespace=${namespace}`,
      );
      const ended = items.find(({ state }) => state === 'Escalated');
      return ended === undefined ? undefined : vic.get<IncidentReport>(`/api/v1/incidents/${ended.id}`);
    });
  }

  for (const [index, [what, { fault, gap }]] of Object.entries(UNWELL).entries()) {
    it(`${what}: the incident says what could not be read, and why`, async () => {
      const namespace = `unwell-${index}`;
      await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      await client.create(DEPLOYMENTS, inNamespace(deployment({ name: 'web', image: 'web:1' }), namespace));
      const heal = cluster.faults.add({
        when: (request) => request.namespace === namespace && request.user.endsWith(`:${OPERATOR.serviceAccount}`),
        fault,
      });
      await fire(namespace);
      const seen = await report(namespace);
      heal();
      const gaps = seen.investigations.flatMap((each) => each.gaps);
      assert.ok(gaps.length > 0, 'expected gaps, found none');
      for (const each of gaps) {
        assert.match(each.reason, gap);
        assert.notEqual(each.wouldHaveTold, '');
      }
      assert.equal(seen.verdict?.certainty, 'not_established');
      assert.deepEqual(seen.actions, []);
    });
  }

  it('a watch that is cut in the middle of a line, and lists that are refused meanwhile, lose nothing', async () => {
    const namespace = 'cut';
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const heal = [429, 500, 503].map((status) =>
      cluster.faults.add({
        when: ({ verb, user }) => (verb === 'list' || verb === 'watch') && user.endsWith(`:${OPERATOR.serviceAccount}`),
        fault: answer(status, 'Unwell', { 'retry-after': '0' }),
        times: 4,
      }),
    );
    assert.ok(cluster.cutWatches() > 0, 'expected open watches, found none');
    cluster.compact();
    const { status, ...pod } = waiting(namespace);
    await client.replaceStatus(PODS, { ...(await client.create(PODS, pod)), status });
    await until('the watch tells of the pod', async () => {
      const rows = await db.query(`SELECT 1 FROM signals WHERE source = 'k8s' AND namespace = $1`, [namespace]);
      return rows.length > 0 ? true : undefined;
    });
    for (const undo of heal) undo();
  });
});

/** A pod that refers to a Secret that is not there, as its kubelet would say it. */
function waiting(namespace: string) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'lost', namespace },
    spec: { containers: [{ name: 'app', image: 'app:1' }] },
    status: {
      phase: 'Pending',
      containerStatuses: [
        {
          name: 'app',
          image: 'app:1',
          imageID: '',
          ready: false,
          started: false,
          restartCount: 0,
          state: { waiting: { reason: 'CreateContainerConfigError', message: 'secret "keys" not found' } },
          lastState: {},
        },
      ],
    },
  };
}
