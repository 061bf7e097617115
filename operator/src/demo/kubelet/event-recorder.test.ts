import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeClient } from '../kube-client/kube-client.ts';
import { KubeApiError } from '../kube-client/kube-error.ts';
import type { EventObject } from '../kube-client/workload.ts';
import { EventRecorder } from './event-recorder.ts';
import { NOW } from './pod.fixture.ts';

function recording(patch: () => Promise<void>) {
  const created: EventObject[] = [];
  let patched = 0;
  const client = {
    create: async (_type: unknown, object: EventObject) => {
      created.push(object);
      return object;
    },
    patch: async () => {
      await patch();
      patched += 1;
    },
  } as unknown as KubeClient;
  const troubles: unknown[] = [];
  const recorder = new EventRecorder(client, (error) => troubles.push(error));
  return { recorder, created, troubles, patches: () => patched };
}

const TARGET = { kind: 'Pod', namespace: 'shop', name: 'app-1', uid: 'uid-1' };
const BACK_OFF = { type: 'Warning', reason: 'BackOff', message: 'again', fieldPath: 'spec.containers{app}' } as const;

test('the same words about the same container become one Event whose count grows', async () => {
  const { recorder, created, patches } = recording(async () => {});
  for (const second of [0, 10, 20]) await recorder.record(TARGET, 'node-a', BACK_OFF, NOW + second * 1000);
  await recorder.record(TARGET, 'node-a', { ...BACK_OFF, message: 'something else' }, NOW);
  assert.equal(created.length, 2);
  assert.equal(patches(), 2);
  assert.equal(created[0]?.involvedObject.fieldPath, 'spec.containers{app}');
  assert.equal(created[0]?.source?.component, 'kubelet');
});

test('where Events cannot be patched a new one carries the count on', async () => {
  const { recorder, created } = recording(async () => {
    throw new KubeApiError(415, 'UnsupportedMediaType', 'no');
  });
  for (const second of [0, 10]) await recorder.record(TARGET, 'node-a', BACK_OFF, NOW + second * 1000);
  assert.deepEqual(
    created.map((each) => [each.count, each.firstTimestamp, each.lastTimestamp]),
    [
      [1, '2026-11-30T12:00:00Z', '2026-11-30T12:00:00Z'],
      [2, '2026-11-30T12:00:00Z', '2026-11-30T12:00:10Z'],
    ],
  );
});

test('an Event that cannot be written is reported and holds nothing up', async () => {
  const { recorder, troubles } = recording(async () => {
    throw new KubeApiError(500, 'InternalError', 'no');
  });
  await recorder.record(TARGET, 'node-a', BACK_OFF, NOW);
  await recorder.record(TARGET, 'node-a', BACK_OFF, NOW);
  assert.equal(troubles.length, 1);
});
