import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Behaviour, ContainerScript } from '../stories/behaviour.ts';
import { container, messages, NOW, play, pod, reasons } from './pod.fixture.ts';
import { podStatus } from './pod-status.ts';

function always(run: ContainerScript, name?: string): Behaviour {
  return { workload: 'app', when: { kind: 'always' }, run, ...(name === undefined ? {} : { container: name }) };
}

const CRASH = always({ readyAfter: 'never', exit: { after: 2, code: 1, reason: 'Error' } });

test('a healthy pod pulls, creates, starts and becomes ready without ever failing a probe', () => {
  const { record, now, steps } = play(pod(), [], 60, { imagePresent: false });
  assert.deepEqual(reasons(steps), ['Pulling', 'Pulled', 'Created', 'Started']);
  const status = podStatus(pod(), record, now, 1);
  assert.equal(status.phase, 'Running');
  assert.equal(status.containerStatuses?.[0]?.ready, true);
});

test('a crashing container is restarted at once, then backs off longer each time', () => {
  const { record, now, steps } = play(pod(), [CRASH], 50);
  const status = podStatus(pod(), record, now, 1).containerStatuses?.[0];
  assert.equal(status?.restartCount, 3);
  assert.equal(status?.state.waiting?.reason, 'CrashLoopBackOff');
  assert.equal(status?.state.waiting?.message, 'back-off 40s restarting failed container=app pod=app-1_shop(uid-1)');
  assert.equal(status?.lastState.terminated?.exitCode, 1);
  assert.equal(status?.lastState.terminated?.reason, 'Error');
  assert.equal(messages(steps, 'BackOff')[0], 'Back-off restarting failed container app in pod app-1_shop(uid-1)');
});

test('between two restarts the container is shown as terminated, and the one before stays in lastState', () => {
  const { record } = play(pod(), [CRASH], 5);
  const status = podStatus(pod(), record, NOW + 5_000, 1).containerStatuses?.[0];
  assert.equal(status?.state.terminated?.exitCode, 1);
  assert.equal(status?.lastState.terminated?.exitCode, 1);
  assert.notEqual(status?.state.terminated?.containerID, status?.lastState.terminated?.containerID);
});

test('a process killed for its memory says so', () => {
  const killed = always({ exit: { after: 3, code: 137, reason: 'OOMKilled' } });
  const { record, now } = play(pod(), [killed], 12);
  const last = podStatus(pod(), record, now, 1).containerStatuses?.[0]?.lastState.terminated;
  assert.deepEqual([last?.exitCode, last?.reason], [137, 'OOMKilled']);
});

test("an image that does not exist goes from ErrImagePull to ImagePullBackOff with the runtime's words", () => {
  const missing = always({ pullError: 'not found' });
  const early = play(pod(), [missing], 1, { imagePresent: false });
  const later = play(pod(), [missing], 9, { imagePresent: false });
  const at = (played: typeof early) =>
    podStatus(pod(), played.record, played.now, 1).containerStatuses?.[0]?.state.waiting;
  assert.equal(at(early)?.reason, 'ErrImagePull');
  assert.equal(at(later)?.reason, 'ImagePullBackOff');
  const error =
    'rpc error: code = NotFound desc = failed to pull and unpack image "shop/app:1": failed to resolve image: shop/app:1: not found';
  assert.equal(at(early)?.message, error);
  assert.equal(at(later)?.message, `Back-off pulling image "shop/app:1": ErrImagePull: ${error}`);
  assert.deepEqual(messages(later.steps, 'Failed'), [
    `Failed to pull image "shop/app:1": ${error}`,
    'Error: ErrImagePull',
    'Error: ImagePullBackOff',
  ]);
});

test("a missing Secret key leaves the container waiting and is told in the kubelet's words", () => {
  const subject = pod({
    containers: [container({ env: [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'signing' } } }] })],
  });
  const facts = {
    secrets: { keys: { other: 'x' } },
    configMaps: {},
    readyEndpoints: {},
    markers: new Set<string>(),
    ordinal: 0,
  };
  const { record, now, steps } = play(subject, [], 5, { facts });
  const waiting = podStatus(subject, record, now, 1).containerStatuses?.[0]?.state.waiting;
  assert.deepEqual(waiting, {
    reason: 'CreateContainerConfigError',
    message: "couldn't find key signing in Secret shop/keys",
  });
  assert.deepEqual(messages(steps, 'Failed'), ["Error: couldn't find key signing in Secret shop/keys"]);
  assert.equal(podStatus(subject, record, now, 1).phase, 'Pending');
});

test('init containers run one after the other before the regular ones', () => {
  const subject = pod({ initContainers: [container({ name: 'one' }), container({ name: 'two' })] });
  const middle = play(subject, [always({ exit: { after: 5, code: 0, reason: 'Completed' } }, 'two')], 8);
  const before = podStatus(subject, middle.record, middle.now, 1);
  assert.equal(before.phase, 'Pending');
  assert.equal(before.containerStatuses?.[0]?.state.waiting?.reason, 'PodInitializing');
  assert.equal(
    before.conditions?.find((each) => each.type === 'Initialized')?.message,
    'containers with incomplete status: [two]',
  );
  const end = play(subject, [], 60);
  assert.equal(podStatus(subject, end.record, end.now, 1).phase, 'Running');
});

for (const [sentence, code, phase] of [
  ['a task that ends well leaves a succeeded pod', 0, 'Succeeded'],
  ['a task that fails is not restarted in place', 3, 'Failed'],
] as const) {
  test(sentence, () => {
    const subject = pod({ restartPolicy: 'Never' });
    const script = always({ exit: { after: 4, code, reason: code === 0 ? 'Completed' : 'Error' } });
    const { record, now } = play(subject, [script], 60);
    const status = podStatus(subject, record, now, 1);
    assert.equal(status.phase, phase);
    assert.equal(status.containerStatuses?.[0]?.restartCount, 0);
    assert.equal(status.containerStatuses?.[0]?.state.terminated?.exitCode, code);
  });
}

test('a pod that is deleted is stopped first and gone after', () => {
  const running = play(pod(), [], 30);
  const leaving = pod({}, { deletionTimestamp: '2026-11-30T12:01:00Z', deletionGracePeriodSeconds: 30 });
  const end = play(leaving, [], 30, { from: running.record, at: running.now });
  assert.deepEqual(messages(end.steps, 'Killing'), ['Stopping container app']);
  assert.equal(end.steps.at(-1)?.gone, true);
  assert.equal(end.steps[0]?.gone, false);
  const status = podStatus(leaving, end.record, end.now, 1).containerStatuses?.[0];
  assert.deepEqual([status?.state.terminated?.reason, status?.ready], ['Completed', false]);
});

test('a pod in back-off that is deleted goes at once', () => {
  const looping = play(pod(), [CRASH], 30);
  const leaving = pod({}, { deletionTimestamp: '2026-11-30T12:01:00Z' });
  const end = play(leaving, [], 5, { from: looping.record, at: looping.now });
  assert.equal(end.steps[0]?.gone, true);
});

test('readiness fails for a while and comes back, with one event a probe period', () => {
  const blip = always({ unready: [{ from: 20, to: 25 }], probeOutput: 'HTTP probe failed with statuscode: 503' });
  const during = play(pod(), [blip], 22);
  const after = play(pod(), [blip], 40);
  assert.equal(podStatus(pod(), during.record, during.now, 1).containerStatuses?.[0]?.ready, false);
  assert.equal(podStatus(pod(), after.record, after.now, 1).containerStatuses?.[0]?.ready, true);
  assert.deepEqual(messages(after.steps, 'Unhealthy'), [
    'Readiness probe failed: HTTP probe failed with statuscode: 503',
  ]);
});

test('stepping twice at the same instant changes nothing and tells nothing', () => {
  for (const seconds of [0, 1, 3, 7, 20, 45, 90]) {
    const once = play(pod(), [CRASH], seconds);
    const again = play(pod(), [CRASH], 0, { from: once.record, at: once.now });
    assert.deepEqual(again.record, once.record, `after ${seconds} s`);
    assert.deepEqual(reasons(again.steps), [], `after ${seconds} s`);
  }
});
