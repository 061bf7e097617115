import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Database } from '@hephaisto/core/ports/database';
import { alert, webhookBody } from '@hephaisto/test/alerts';
import { createTestDatabase, type TestDatabase } from '@hephaisto/test/database';
import { intakeLine } from '@hephaisto/test/intake-line';
import { addLocalCluster, quietDeps } from '@hephaisto/test/stage-deps';
import { verifies } from '@hephaisto/test/verifies';

interface IncidentLine {
  readonly id: string;
  readonly title: string;
  readonly state: string;
  readonly suppressed_reason: string | null;
  readonly escalation_reason: string | null;
  readonly is_meta: boolean;
  readonly recurrence_of: string | null;
}

async function incidentsIn(db: Database, namespace: string): Promise<readonly IncidentLine[]> {
  return await db.query<IncidentLine>(
    `SELECT id, title, state, suppressed_reason, escalation_reason, is_meta, recurrence_of FROM incidents
     WHERE namespace = $1 ORDER BY number`,
    [namespace],
  );
}

async function signalsIn(db: Database, namespace: string) {
  return await db.query<{
    status: string;
    disposition: string;
    why: string | null;
    occurrences: number;
    incident_id: string | null;
  }>(
    `SELECT status, disposition, disposition_reason AS why, occurrences, incident_id FROM signals WHERE namespace = $1
     ORDER BY received_at, external_key`,
    [namespace],
  );
}

const crash = (namespace: string, over: Readonly<Record<string, string>> = {}) => ({
  labels: { alertname: 'KubePodCrashLooping', namespace, deployment: 'checkout', severity: 'warning', ...over },
});

describe('from a webhook to an incident', () => {
  let db: TestDatabase;
  before(async () => {
    db = await createTestDatabase();
    await addLocalCluster(db);
  });
  after(() => db.close());

  it('twenty deliveries of one alert are one incident and twenty counted observations', async () => {
    verifies('H3-2', 'H3-30');
    const line = intakeLine(quietDeps(db));
    for (let i = 0; i < 20; i += 1) await line.settle(webhookBody([alert(crash('twenty'))]));
    const incidents = await incidentsIn(db, 'twenty');
    assert.equal(incidents.length, 1);
    assert.equal(incidents[0]?.state, 'Investigating');
    const signals = await signalsIn(db, 'twenty');
    assert.deepEqual(
      signals.map((s) => [s.disposition, s.occurrences, s.incident_id]),
      [['opened', 20, incidents[0]?.id]],
    );
  });

  it('each edge is one event, and the row counts them', async () => {
    verifies('H3-26');
    const rows = await db.query<{ edges: string; version: number }>(
      `SELECT string_agg(e.edge, ' ' ORDER BY e.seq) AS edges, i.version FROM incidents i JOIN incident_events e ON e.incident_id = i.id
       WHERE i.namespace = 'twenty' GROUP BY i.version`,
    );
    assert.deepEqual(rows, [{ edges: 'I1 I2 I5', version: 3 }]);
    await assert.rejects(
      db.execute(`UPDATE incidents SET state = 'Acting' WHERE namespace = 'twenty'`),
      /without an event/,
    );
  });

  it('fifty pods of one Deployment over two ReplicaSets are one fault, whatever their names', async () => {
    verifies('H3-32');
    const line = intakeLine(quietDeps(db), {
      owners: {
        ofPod: async (_namespace, pod) => {
          const set = Number(pod.slice(4)) % 2 === 0 ? 'web-aaaa' : 'web-bbbb';
          const chain = [`Pod/${pod}`, `ReplicaSet/${set}`, 'Deployment/web'];
          return { kind: 'found', owner: { owner: { kind: 'Deployment', name: 'web' }, chain } };
        },
      },
    });
    const alerts = Array.from({ length: 50 }, (_, i) =>
      alert({ labels: { alertname: 'KubePodCrashLooping', namespace: 'fifty', pod: `pod-${i}` } }),
    );
    await line.settle(webhookBody(alerts));
    assert.equal((await incidentsIn(db, 'fifty')).length, 1);
    const fingerprints = await db.query<{ n: number }>(
      `SELECT count(DISTINCT fingerprint)::integer AS n FROM signals WHERE namespace = 'fifty'`,
    );
    assert.deepEqual(fingerprints, [{ n: 1 }]);
  });

  it('an alert that fires again while nobody can say who owns its pod is the same fault', async () => {
    let answers = true;
    const line = intakeLine(quietDeps(db), {
      owners: {
        ofPod: async (_namespace, pod) =>
          answers
            ? {
                kind: 'found',
                owner: { owner: { kind: 'DaemonSet', name: 'agent' }, chain: [`Pod/${pod}`, 'DaemonSet/agent'] },
              }
            : { kind: 'unknown', message: 'the API server is away' },
      },
    });
    const labels = { alertname: 'KubePodCrashLooping', namespace: 'refire', pod: 'agent-x7k2p' };
    await line.settle(webhookBody([alert({ labels })]));
    answers = false;
    await line.settle(webhookBody([alert({ labels, startsAt: '2026-11-30T10:00:00Z' })]));
    assert.equal((await incidentsIn(db, 'refire')).length, 1);
  });

  it('an alert about a Service joins the incident of the workload behind it', async () => {
    const line = intakeLine(quietDeps(db), {
      behind: async () => ({ kind: 'found', workloads: [{ kind: 'Deployment', name: 'checkout' }] }),
    });
    await line.settle(webhookBody([alert(crash('behind'))]));
    await line.settle(
      webhookBody([alert({ labels: { alertname: 'ShopSlow', namespace: 'behind', service: 'shop' } })]),
    );
    assert.equal((await incidentsIn(db, 'behind')).length, 1);
    assert.deepEqual((await signalsIn(db, 'behind')).map((s) => s.disposition).sort(), ['joined', 'opened']);
  });

  it('an alert about a Service alone is about the workload behind it, which later alerts join', async () => {
    const line = intakeLine(quietDeps(db), {
      behind: async () => ({ kind: 'found', workloads: [{ kind: 'Deployment', name: 'checkout' }] }),
    });
    await line.settle(webhookBody([alert({ labels: { alertname: 'ShopSlow', namespace: 'first', service: 'shop' } })]));
    await line.settle(webhookBody([alert(crash('first'))]));
    const rows = await db.query(`SELECT owner_kind, owner_name FROM incidents WHERE namespace = 'first'`);
    assert.deepEqual(rows, [{ owner_kind: 'Deployment', owner_name: 'checkout' }]);
  });

  it('an alert about a Service that does not exist says so', async () => {
    const line = intakeLine(quietDeps(db), { behind: async () => ({ kind: 'gone' }) });
    await line.settle(
      webhookBody([alert({ labels: { alertname: 'ShopSlow', namespace: 'absent', service: 'shop' } })]),
    );
    const [signal] = await db.query<{ message: string }>(
      `SELECT payload->>'message' AS message FROM signals WHERE namespace = 'absent'`,
    );
    assert.match(signal?.message ?? '', /^Service shop does not exist in namespace absent\./);
  });

  it('different rules about one namespace without an object are different incidents', async () => {
    const line = intakeLine(quietDeps(db));
    await line.settle(
      webhookBody([
        alert({ labels: { alertname: 'QuotaNearlyUsed', namespace: 'objectless' } }),
        alert({ labels: { alertname: 'CertificateExpires', namespace: 'objectless' } }),
      ]),
    );
    assert.equal((await incidentsIn(db, 'objectless')).length, 2);
  });

  it('a crash and a later kill for memory of one Deployment are one incident, and the signal says why', async () => {
    const line = intakeLine(quietDeps(db));
    await line.settle(webhookBody([alert(crash('joined'))]));
    await line.settle(webhookBody([alert(crash('joined', { alertname: 'KubePodOOMKilled' }))]));
    assert.equal((await incidentsIn(db, 'joined')).length, 1);
    const [, second] = await signalsIn(db, 'joined');
    assert.equal(second?.disposition, 'joined');
    assert.match(second?.why ?? '', /^same-owner-and-family: /);
  });

  it('the end of an alert that nobody told of opens nothing', async () => {
    const line = intakeLine(quietDeps(db));
    await line.settle(webhookBody([alert({ ...crash('unknown-end'), status: 'resolved' })]));
    assert.deepEqual(await incidentsIn(db, 'unknown-end'), []);
    const [signal] = await signalsIn(db, 'unknown-end');
    assert.equal(signal?.disposition, 'late');
  });

  it('a firing that arrives after its own end is old and changes nothing', async () => {
    const line = intakeLine(quietDeps(db));
    await line.settle(webhookBody([alert({ ...crash('late-firing'), status: 'resolved' })]));
    await line.settle(webhookBody([alert(crash('late-firing'))]));
    assert.deepEqual(await incidentsIn(db, 'late-firing'), []);
    assert.deepEqual(
      (await signalsIn(db, 'late-firing')).map((s) => [s.status, s.occurrences]),
      [['resolved', 2]],
    );
  });

  it('a heartbeat is kept as benign with why', async () => {
    const line = intakeLine(quietDeps(db));
    await line.settle(webhookBody([alert({ labels: { alertname: 'Watchdog', namespace: 'heartbeat' } })]));
    const [signal] = await signalsIn(db, 'heartbeat');
    assert.equal(signal?.disposition, 'benign');
    assert.match(signal?.why ?? '', /^heartbeat: /);
  });

  it('one bad alert in fifty costs the others nothing and is recorded', async () => {
    const line = intakeLine(quietDeps(db));
    const alerts: unknown[] = Array.from({ length: 49 }, (_, i) =>
      alert(crash('spoilt', { deployment: 'checkout', container: `c${i}` })),
    );
    await line.settle(webhookBody([...alerts, { status: 'firing', labels: 'none' }]));
    assert.equal((await signalsIn(db, 'spoilt')).length, 49);
    const [last] = await db.query<{ outcome: { unreadable: { index: number; reason: string }[] } }>(
      'SELECT outcome FROM intake ORDER BY id DESC LIMIT 1',
    );
    assert.deepEqual(
      last?.outcome.unreadable.map((u) => [u.index, u.reason]),
      [[49, 'no-labels']],
    );
  });

  it('an alert about ourselves goes to a person and never further', async () => {
    verifies('H3-149');
    const line = intakeLine(quietDeps(db));
    await line.settle(webhookBody([alert(crash('hephaisto'))]));
    await line.settle(webhookBody([alert(crash('self-label', { hephaisto_self: 'true' }))]));
    for (const namespace of ['hephaisto', 'self-label']) {
      const [incident] = await incidentsIn(db, namespace);
      assert.equal(incident?.state, 'Escalated');
      assert.equal(incident?.escalation_reason, 'SelfSignal');
    }
    await assert.rejects(
      db.transaction(async (tx) => {
        await tx.execute(`UPDATE incidents SET state = 'Investigating' WHERE namespace = 'hephaisto'`);
      }),
    );
  });

  it('a cluster that nobody knows can be read about and is not touched', async () => {
    const line = intakeLine(quietDeps(db));
    await line.settle(webhookBody([alert(crash('elsewhere', { cluster: 'mars' }))]));
    const [incident] = await incidentsIn(db, 'elsewhere');
    assert.equal(incident?.state, 'Escalated');
    assert.equal(incident?.escalation_reason, 'ObserveOnly');
    await line.settle(webhookBody([alert(crash('by-alias', { cluster: 'prod' }))]));
    assert.equal((await incidentsIn(db, 'by-alias'))[0]?.state, 'Investigating');
  });

  it('with the agent off, incidents are told and not looked into', async () => {
    const line = intakeLine(quietDeps(db), { agentMode: () => 'off' });
    await line.settle(webhookBody([alert(crash('off'))]));
    assert.equal((await incidentsIn(db, 'off'))[0]?.escalation_reason, 'AgentOff');
  });
});
