import assert from 'node:assert/strict';
import { test } from 'node:test';
import { container, NOW, play, pod } from './pod.fixture.ts';
import { podStatus } from './pod-status.ts';

function conditionsOf(subject = pod(), seconds = 30, after: number | 'never' = 2) {
  const behaviour = { workload: 'app', when: { kind: 'always' }, run: { readyAfter: after } } as const;
  const played = play(subject, [behaviour], seconds);
  return podStatus(subject, played.record, played.now, 1).conditions ?? [];
}

test('an unready container shows in both readiness conditions with its name', () => {
  const conditions = conditionsOf(pod(), 30, 'never');
  for (const type of ['Ready', 'ContainersReady']) {
    const found = conditions.find((each) => each.type === type);
    assert.deepEqual(
      [found?.status, found?.reason, found?.message],
      ['False', 'ContainersNotReady', 'containers with unready status: [app]'],
      type,
    );
  }
});

test('a ready pod has every condition true, and no reason', () => {
  const conditions = conditionsOf();
  assert.deepEqual(conditions.map((each) => `${each.type}=${each.status}`).sort(), [
    'ContainersReady=True',
    'Initialized=True',
    'PodReadyToStartContainers=True',
    'PodScheduled=True',
    'Ready=True',
  ]);
  assert.equal(
    conditions.some((each) => each.reason !== undefined),
    false,
  );
});

test('a condition keeps the time of its last change, and one of another writer is kept whole', () => {
  const subject = pod();
  subject.status = {
    conditions: [
      { type: 'Ready', status: 'True', lastTransitionTime: '2026-11-30T11:00:00Z' },
      { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message: 'evicted' },
    ],
  };
  const conditions = conditionsOf(subject);
  assert.equal(conditions.find((each) => each.type === 'Ready')?.lastTransitionTime, '2026-11-30T11:00:00Z');
  assert.equal(conditions.find((each) => each.type === 'DisruptionTarget')?.reason, 'EvictionByEvictionAPI');
});

for (const [sentence, resources, wanted] of [
  ['nothing asked for is best effort', {}, 'BestEffort'],
  ['a request below the limit is burstable', { requests: { cpu: '10m' }, limits: { memory: '64Mi' } }, 'Burstable'],
  ['limits for both and no lower request are guaranteed', { limits: { cpu: '1', memory: '64Mi' } }, 'Guaranteed'],
] as const) {
  test(sentence, () => {
    const subject = pod({ containers: [container({ resources })] });
    const { record } = play(subject, [], 0);
    assert.equal(podStatus(subject, record, NOW, 1).qosClass, wanted);
  });
}
