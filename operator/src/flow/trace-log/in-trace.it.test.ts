import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crashed, pod, replicaSet } from '@hephaisto/core/diagnose/case.fixture';
import { NO_FAULTS } from '@hephaisto/core/ports/fault-points';
import { alert, webhookBody } from '@hephaisto/test/alerts';
import { startTestApi, WEBHOOK_TOKEN } from '@hephaisto/test/api';
import { intakeLine } from '@hephaisto/test/intake-line';
import { addLocalCluster, drain, quietDeps } from '@hephaisto/test/stage-deps';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { createLogger } from '../../adapters/log/logger.ts';
import { startWith } from '../../adapters/tracing/otlp.ts';
import { receiveAlertmanager } from '../../sources/receive-alertmanager.ts';
import { bench } from '../4-investigate/bench.fixture.ts';
import { createPlanStage } from '../5-plan/stage.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const HEADER = `00-${TRACE}-00f067aa0ba902b7-01`;

const exporter = new InMemorySpanExporter();
const handle = startWith(new SimpleSpanProcessor(exporter), 'test');
const { tracer } = handle;

/** The spans that have ended since the last call. */
function ended(): readonly ReadableSpan[] {
  const spans = [...exporter.getFinishedSpans()];
  exporter.reset();
  return spans;
}

test('a delivery’s trace is taken up, kept with what it opens, and gone on with by each stage', async () => {
  const lines: string[] = [];
  const log = createLogger('test', {
    level: 'info',
    redact: (text) => text,
    write: (line) => lines.push(line),
    traceId: handle.traceId,
  });
  await using api = await startTestApi({
    deps: {
      tracer,
      receiveWebhook: async (delivery) => {
        log.info('taking it in');
        const { metrics, timers } = quietDeps(api.db);
        const deps = { db: api.db, timers, log, metrics, faults: NO_FAULTS, random: () => 0 };
        return receiveAlertmanager(deps, { ...delivery, maxBytes: 1_000_000 });
      },
    },
  });
  await addLocalCluster(api.db);
  const sent = await fetch(`${api.url}/webhooks/alertmanager`, {
    method: 'POST',
    body: webhookBody([
      alert({
        labels: { alertname: 'KubePodCrashLooping', namespace: 'shop', deployment: 'web', severity: 'warning' },
      }),
    ]),
    headers: { authorization: `Bearer ${WEBHOOK_TOKEN}`, traceparent: HEADER },
  });
  assert.equal(sent.status, 200);
  await intakeLine({ ...quietDeps(api.db), tracer }).settle();

  assert.equal(JSON.parse(lines[0] ?? '{}').trace_id, TRACE, 'lines of the log name the trace');
  const spans = ended();
  const named = (name: string) => spans.find((span) => span.name === name);
  const received = named('POST /webhooks/alertmanager');
  assert.deepEqual(
    [received?.spanContext().traceId, received?.parentSpanContext?.spanId],
    [TRACE, '00f067aa0ba902b7'],
    'the sender’s span is the parent',
  );
  for (const stage of ['hephaisto.ingest', 'hephaisto.triage'])
    assert.equal(named(stage)?.spanContext().traceId, TRACE, stage);
  assert.deepEqual(
    named('hephaisto.dedupe')?.links.map(({ context }) => context.traceId),
    [TRACE],
    'a batch is of no one trace and links to each',
  );
  const [incident] = await api.db.query<{ id: string; traceparent: string }>('SELECT id, traceparent FROM incidents');
  assert.equal(incident?.traceparent, `00-${TRACE}-${received?.spanContext().spanId}-01`);
  const report = await api.call(`/api/v1/incidents/${incident?.id}`, { as: await api.signIn('ana') });
  assert.equal(report.body.traceId, TRACE);
});

test('without a collector the sender’s trace is kept all the same, and what is no trace refuses nothing', async () => {
  await using api = await startTestApi({
    deps: {
      receiveWebhook: async ({ traceparent }) => {
        seen.push(traceparent);
        return { kind: 'stored', id: 1, alerts: 1 };
      },
    },
  });
  const seen: unknown[] = [];
  for (const traceparent of [HEADER, 'nonsense'])
    await api.call('/webhooks/alertmanager', {
      body: {},
      headers: { authorization: `Bearer ${WEBHOOK_TOKEN}`, traceparent },
    });
  assert.deepEqual(seen, [HEADER, undefined]);
});

test('investigating and planning are spans of the incident’s trace', async () => {
  const world = {
    pods: [pod('old-1'), pod('new-1', { revision: 2, ready: false, status: crashed() })],
    replicaSets: [
      replicaSet(1, { env: [{ name: 'URL', value: 'db:5432' }] }, { ready: 1 }),
      replicaSet(2, { env: [{ name: 'URL', value: 'db:54e2' }] }),
    ],
    logs: { 'new-1': 'error invalid URL: cannot parse "db:54e2"' },
  };
  await bench(world, async (b) => {
    const deps = Object.assign(b.deps, { tracer });
    const id = await b.incident();
    await b.db.execute('UPDATE incidents SET traceparent = $2 WHERE id = $1', [id, HEADER]);
    ended();
    await drain(b.replica(), createPlanStage(deps, { bounds: { memoryMaxBytes: 2 ** 32, memoryMaxFactor: 4 } }));
    const spans = ended();
    for (const name of ['hephaisto.investigate', 'hephaisto.plan']) {
      const span = spans.find((each) => each.name === name);
      assert.deepEqual([span?.spanContext().traceId, span?.attributes['hephaisto.incident.id']], [TRACE, id], name);
    }
  });
});

test('an incident that was watched begins a trace of its own', async () => {
  await using api = await startTestApi();
  await addLocalCluster(api.db);
  ended();
  await intakeLine({ ...quietDeps(api.db), tracer }).settle(
    webhookBody([alert({ labels: { alertname: 'KubePodCrashLooping', namespace: 'shop', deployment: 'web' } })]),
  );
  const [incident] = await api.db.query<{ traceparent: string | null }>('SELECT traceparent FROM incidents');
  const dedupe = ended().find((span) => span.name === 'hephaisto.dedupe');
  assert.equal(incident?.traceparent?.split('-')[1], dedupe?.spanContext().traceId);
});
