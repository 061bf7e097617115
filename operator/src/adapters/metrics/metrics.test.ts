import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { METRICS } from './definitions.ts';
import { createMetrics } from './metrics.ts';

test('what is measured is exposed under the prefix with its help', async () => {
  const metrics = createMetrics('1.2.3');
  metrics.count('dedup_total', { result: 'joined' });
  metrics.observe('investigation_duration_seconds', 0.2);
  metrics.gauge('killswitch_active', 1);
  const { body } = await metrics.expose();
  assert.match(body, /# HELP hephaisto_dedup_total What became of signals\./);
  assert.match(body, /hephaisto_dedup_total\{result="joined"\} 1/);
  assert.match(body, /hephaisto_killswitch_active 1/);
  assert.match(body, /hephaisto_build_info\{version="1\.2\.3"\} 1/);
});

test('an unknown name, an unknown label and a label without bounds are refused and counted', async () => {
  const metrics = createMetrics('1');
  metrics.count('nobody_defined_this_total');
  metrics.count('dedup_total', { pod: 'web-1' });
  for (let n = 0; n < 400; n += 1) metrics.count('dedup_total', { result: `r${n}` });
  const { body } = await metrics.expose();
  assert.match(body, /metrics_refused_total\{reason="unknown-metric"\} 1/);
  assert.match(body, /metrics_refused_total\{reason="unknown-label"\} 1/);
  assert.match(body, /metrics_refused_total\{reason="too-many-series"\} 100/);
});

test('names follow the conventions: base units, totals for counters, no unbounded label', () => {
  for (const [name, definition] of Object.entries(METRICS)) {
    if (definition.kind === 'counter') assert.match(name, /_total$/, name);
    if (definition.kind === 'histogram') assert.match(name, /_(seconds|bytes)$/, name);
    for (const label of definition.labels)
      assert.ok(!['pod', 'incident', 'fingerprint', 'namespace'].includes(label), name);
  }
});

test('every metric that the code measures is defined, and every one that is defined is measured', () => {
  const root = join(import.meta.dirname, '../../');
  const used = globSync('**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => [
      ...readFileSync(join(root, file), 'utf8').matchAll(/metrics\??\s*\.(?:count|observe|gauge)\(\s*'([^']+)'/g),
    ])
    .map((match) => match[1] ?? '');
  assert.ok(used.length > 0);
  assert.deepEqual(
    [...new Set(used)].filter((name) => METRICS[name] === undefined),
    [],
  );
  assert.deepEqual(
    Object.keys(METRICS).filter((name) => !used.includes(name)),
    [],
  );
});
