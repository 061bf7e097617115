import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { startWith } from './otlp.ts';
import { createTracer, NO_TRACER } from './tracer.ts';

test('without an endpoint work runs and nothing is traced', async () => {
  const handle = await createTracer(undefined, '1');
  assert.equal(handle, NO_TRACER);
  assert.equal(await handle.tracer.span('x', {}, () => Promise.resolve(7)), 7);
});

test('spans nest across awaits, carry their attributes and end with the error of their work', async () => {
  const exporter = new InMemorySpanExporter();
  const handle = startWith(new SimpleSpanProcessor(exporter), '1');
  await assert.rejects(
    handle.tracer.span('hephaisto.incident', { 'incident.id': 'i1' }, async () => {
      await Promise.resolve();
      assert.match(handle.traceId() ?? '', /^[0-9a-f]{32}$/);
      await handle.tracer.span('hephaisto.plan', { 'plan.action_count': 1 }, () => Promise.reject(new Error('no')));
    }),
  );
  const [child, parent] = exporter.getFinishedSpans();
  assert.equal(child?.parentSpanContext?.spanId, parent?.spanContext().spanId);
  assert.equal(parent?.attributes['incident.id'], 'i1');
  assert.equal(child?.status.code, 2);
  await handle.close();
});
