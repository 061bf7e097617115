import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  MAX_ANNOTATION_CHARACTERS,
  MAX_LABEL_CHARACTERS,
  MAX_LABELS,
  MAX_PAYLOAD_CHARACTERS,
  MAX_WARNINGS,
  TRUNCATED_LABEL,
} from './alert-limits.ts';
import { readAlert, readEnvelope, readEnvelopeInSteps } from './alertmanager.ts';
import { judgeDepth } from './json-limits.ts';

describe('reading a webhook', () => {
  it('cuts a number of left-out alerts that no column holds, and takes what is no number for none', () => {
    const read = (truncatedAlerts: unknown) => {
      const envelope = readEnvelope(JSON.stringify({ alerts: [], truncatedAlerts }));
      return envelope.kind === 'envelope' ? envelope.envelope.truncatedAlerts : undefined;
    };
    assert.deepEqual([2 ** 31, 1e300, 2 ** 53, 2 ** 31 - 1, 12, 1.9, 0, -5, '7', null].map(read), [
      2 ** 31 - 1,
      2 ** 31 - 1,
      2 ** 31 - 1,
      2 ** 31 - 1,
      12,
      1,
      0,
      0,
      0,
      0,
    ]);
  });

  it('needs nothing but the alerts', () => {
    const full = { version: '4', groupKey: 'g', receiver: 'r', truncatedAlerts: 0, alerts: [] };
    for (const field of ['version', 'groupKey', 'receiver', 'truncatedAlerts']) {
      const body = JSON.stringify(full, (key, value: unknown) => (key === field ? undefined : value));
      assert.equal(readEnvelope(body).kind, 'envelope', field);
    }
    assert.equal(readEnvelope('{"alerts":[]}').kind, 'envelope');
  });

  it('says of alerts that are no list that they are there', () => {
    const read = readEnvelope('{"alerts":{}}');
    assert.ok(read.kind === 'refused');
    assert.match(read.message, /^expected a list `alerts`, found another value there/);
  });

  it('takes no time that nobody can store', () => {
    for (const time of ['+010000-01-01T00:00:00Z', '+275760-09-13T00:00:00Z', '-000001-01-01T00:00:00Z']) {
      const read = readAlert({ status: 'firing', labels: {}, startsAt: time, endsAt: time });
      assert.ok(read.kind === 'alert');
      assert.deepEqual([read.alert.startsAt, read.alert.endsAt, read.alert.warnings.length], [undefined, undefined, 2]);
    }
  });

  it('never throws, and refuses with a reason, whatever text comes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.json().map((json) => `{"alerts":[${json}]}`),
        ),
        (body) => {
          const read = readEnvelope(body);
          if (read.kind === 'envelope') for (const alert of read.envelope.alerts) readAlert(alert);
          else assert.ok(read.message.startsWith('expected'));
        },
      ),
    );
  });

  it('measures depth as the parsed value has it, also with brackets inside texts', () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 6 }), (value, limit) => {
        assert.equal(judgeDepth(JSON.stringify(value), limit).kind === 'shallow', depthOf(value) <= limit);
      }),
    );
  });

  const STATUSES: Readonly<Record<string, { given: object; status: string; warnings: number }>> = {
    'firing is firing': { given: { status: 'firing' }, status: 'firing', warnings: 0 },
    'resolved is resolved': { given: { status: 'resolved' }, status: 'resolved', warnings: 0 },
    'no status and no end is firing, with a warning': { given: {}, status: 'firing', warnings: 1 },
    'no status and an end is resolved, with a warning': {
      given: { endsAt: '2026-01-01T00:00:00Z' },
      status: 'resolved',
      warnings: 1,
    },
    'the year 1 is no end': {
      given: { status: 'firing', endsAt: '0001-01-01T00:00:00Z' },
      status: 'firing',
      warnings: 0,
    },
    'annotations of the wrong type cost a warning only': {
      given: { status: 'firing', annotations: 3 },
      status: 'firing',
      warnings: 1,
    },
  };
  for (const [name, { given, status, warnings }] of Object.entries(STATUSES)) {
    it(name, () => {
      const read = readAlert({ labels: { alertname: 'X' }, ...given });
      assert.ok(read.kind === 'alert');
      assert.deepEqual([read.alert.status, read.alert.warnings.length], [status, warnings]);
    });
  }

  it('keeps what it does not know, without characters that nobody can store', () => {
    const read = readAlert({ labels: { a: 'x\u0000y' }, extra: { deep: ['\ud800', 1] } });
    assert.ok(read.kind === 'alert');
    assert.equal(read.alert.labels.a, 'xy');
    assert.deepEqual(read.alert.payload.extra, { deep: ['\ufffd', 1] });
  });

  it('keeps at most 64 labels, those that say what the alert is about before all others, and says that some are left out', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`a${i}`, 'x']));
    const read = readAlert({ labels: { ...many, zone_pod: 'web-1', alertname: 'Late' } }, ['zone_pod']);
    assert.ok(read.kind === 'alert');
    const { labels, warnings, payload } = read.alert;
    assert.deepEqual([labels.alertname, labels.zone_pod], ['Late', 'web-1']);
    assert.equal(Object.keys(labels).length, MAX_LABELS + 1);
    assert.ok(TRUNCATED_LABEL in labels);
    assert.match(warnings.join(), /labels: expected at most 64 .*, found 502; 438 left out/);
    assert.deepEqual(payload.labels, labels);
  });

  it('cuts long labels and annotations, and leaves out names that are too long', () => {
    const read = readAlert({
      status: 'firing',
      labels: { alertname: 'X', long: 'v'.repeat(5_000), ['n'.repeat(300)]: 'v' },
      annotations: { summary: 's'.repeat(20_000) },
    });
    assert.ok(read.kind === 'alert');
    const { labels, annotations, warnings } = read.alert;
    assert.deepEqual(Object.keys(labels).sort(), ['alertname', TRUNCATED_LABEL, 'long']);
    assert.equal(labels.long?.length, MAX_LABEL_CHARACTERS);
    assert.equal(annotations.summary?.length, MAX_ANNOTATION_CHARACTERS);
    assert.equal(warnings.length, 3);
  });

  it('leaves out fields of its own making when an alert is larger than any that people write', () => {
    const read = readAlert({ labels: { alertname: 'X' }, fingerprint: 'f', extra: 'x'.repeat(MAX_PAYLOAD_CHARACTERS) });
    assert.ok(read.kind === 'alert');
    assert.deepEqual([read.alert.payload.extra, read.alert.payload.fingerprint], [undefined, 'f']);
    assert.ok(TRUNCATED_LABEL in read.alert.labels);
  });

  it('bounds the warnings of one alert', () => {
    const odd = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`a${i}`, i]));
    const read = readAlert({ labels: odd });
    assert.ok(read.kind === 'alert');
    assert.equal(read.alert.warnings.length, MAX_WARNINGS);
  });
});

it('reads a body of many megabytes in steps of a megabyte, so that it does not hold the event loop', () => {
  const body = JSON.stringify({ alerts: Array.from({ length: 8 }, () => ({ text: 'x'.repeat(1_048_576) })) });
  const steps = readEnvelopeInSteps(body);
  let count = 1;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count += 1;
  assert.ok(count >= 9, `${count} steps`);
  assert.equal(step.value.kind, 'envelope');
});
