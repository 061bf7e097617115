import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Alert } from './alert.ts';
import { listAlerts } from './api.ts';
import { fingerprint } from './fingerprint.ts';
import { decideFlush, groupKey, groupLabels, type Notified } from './group.ts';
import { parseMatcher } from './matcher.ts';
import { webhookBody } from './webhook-body.ts';

const START = new Date('2026-11-30T12:00:00Z');

function alert(pod: string, ended = false): Alert {
  const labels = { alertname: 'KubePodCrashLooping', namespace: 'shop', pod };
  return {
    labels,
    annotations: { summary: 'Pod is crash looping.', description: pod },
    startsAt: START,
    ...(ended ? { endsAt: new Date('2026-11-30T12:05:00Z') } : {}),
    generatorURL: 'http://prometheus.simulated/graph',
    fingerprint: fingerprint(labels),
    updatedAt: START,
  };
}

test('fingerprints are those of Alertmanager, whatever the order of labels', () => {
  assert.equal(fingerprint({}), 'cbf29ce484222325');
  assert.equal(fingerprint({ alertname: 'Watchdog' }), '003b0a0f7d3fa569');
  const labels = { pod: 'checkout-1', note: 'größer', namespace: 'shop', alertname: 'KubePodCrashLooping' };
  assert.equal(fingerprint(labels), 'c2d10a20569d717c');
});

const [A, B] = [alert('a'), alert('b')];
const ENDED = alert('a', true);
const NOW = START.getTime();

function told(firing: readonly Alert[], resolved: readonly Alert[] = [], at = NOW): Notified {
  const prints = (alerts: readonly Alert[]) => new Set(alerts.map((each) => each.fingerprint));
  return { firing: prints(firing), resolved: prints(resolved), at };
}

const FLUSHES: readonly (readonly [string, readonly Alert[], Notified | undefined, number, string])[] = [
  ['a group that begins to fire is told', [A], undefined, NOW, 'first'],
  ['a group that ended before anybody was told stays quiet', [ENDED], undefined, NOW, 'nothing-fired'],
  ['a further alert is told', [A, B], told([A]), NOW, 'new-firing'],
  ['one of two that ended is told', [ENDED, B], told([A, B]), NOW, 'newly-resolved'],
  ['the end of all is told', [ENDED], told([A]), NOW, 'all-resolved'],
  ['the end of all is told once', [ENDED], told([], [A]), NOW, 'already-told'],
  ['what was told is not told again at once', [A], told([A]), NOW + 299_999, 'already-told'],
  ['what still fires is told again after the repeat interval', [A], told([A]), NOW + 300_000, 'repeat'],
];

for (const [sentence, alerts, last, now, reason] of FLUSHES) {
  test(sentence, () => assert.equal(decideFlush(alerts, last, now, 300_000).reason, reason));
}

test('a webhook body has the fields of version 4', () => {
  const body = webhookBody([ENDED, B], groupLabels(A.labels), 'hephaisto', 'http://127.0.0.1:1', 0);
  assert.equal(body.version, '4');
  assert.equal(body.status, 'firing');
  assert.equal(body.groupKey, '{}:{alertname="KubePodCrashLooping", namespace="shop"}');
  assert.deepEqual(body.commonLabels, { alertname: 'KubePodCrashLooping', namespace: 'shop' });
  assert.deepEqual(body.commonAnnotations, { summary: 'Pod is crash looping.' });
  assert.deepEqual(
    body.alerts.map((each) => [each.labels.pod, each.status, each.endsAt]),
    [
      ['b', 'firing', '0001-01-01T00:00:00Z'],
      ['a', 'resolved', '2026-11-30T12:05:00.000Z'],
    ],
  );
  assert.equal(webhookBody([ENDED], {}, 'r', 'u', 0).status, 'resolved');
});

test('alerts beyond the limit are counted instead of sent', () => {
  const body = webhookBody([A, B], {}, 'r', 'u', 1);
  assert.deepEqual([body.alerts.length, body.truncatedAlerts], [1, 1]);
});

test('group keys quote what labels hold', () => {
  assert.equal(groupKey({ b: 'say "hi"', a: '1' }), '{}:{a="1", b="say \\"hi\\""}');
  assert.deepEqual(groupLabels({ alertname: 'X' }), { alertname: 'X' });
});

const MATCHERS: readonly (readonly [string, boolean | undefined])[] = [
  ['pod="a"', true],
  ['pod=a', true],
  ['{pod="a"}', true],
  ['pod!="a"', false],
  ['pod=~"a|b"', true],
  ['pod=~"x"', false],
  ['absent=""', true],
  ['absent!~".+"', true],
  ['pod', undefined],
  ['pod=~"("', undefined],
];

for (const [text, wanted] of MATCHERS) {
  test(`matcher ${text} ${wanted === undefined ? 'is refused' : wanted ? 'matches' : 'does not match'}`, () => {
    assert.equal(parseMatcher(text)?.({ pod: 'a' }), wanted);
  });
}

function listed(query: string) {
  const view = { alerts: () => [A, B, alert('c', true)], receiver: 'hephaisto', startedAt: START, now: () => START };
  return listAlerts(view, new URLSearchParams(query));
}

test('active alerts are listed with their state, ended ones are not', () => {
  const { body } = listed('');
  const alerts = body as {
    labels: { pod: string };
    status: object;
    receivers: object;
    endsAt: string;
    fingerprint: string;
  }[];
  assert.deepEqual(alerts.map((each) => each.labels.pod).sort(), ['a', 'b']);
  assert.deepEqual(alerts[0]?.status, { inhibitedBy: [], mutedBy: [], silencedBy: [], state: 'active' });
  assert.deepEqual(alerts[0]?.receivers, [{ name: 'hephaisto' }]);
  assert.equal(alerts[0]?.endsAt, '2026-11-30T12:05:00.000Z');
});

test('filters narrow the list, a bad one is refused, and active=false leaves nothing', () => {
  assert.equal((listed('filter=pod="a"&filter=namespace="shop"').body as unknown[]).length, 1);
  assert.equal(listed('filter=%3D').code, 400);
  assert.deepEqual(listed('active=false').body, []);
  assert.deepEqual(listed('receiver=other').body, []);
});
