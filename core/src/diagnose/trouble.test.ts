import assert from 'node:assert/strict';
import { test } from 'node:test';
import { projectPod } from '../facts/project-pod.ts';
import type { Raw } from '../facts/raw.ts';
import { crashed, NOW, type PodOptions, pod, SUBJECT } from './case.fixture.ts';
import { episodeOf } from './episode.ts';
import { troubleOf } from './trouble.ts';

function troubleIn(options: PodOptions): readonly [string, string | undefined] | undefined {
  const trouble = troubleOf(projectPod(pod('a', { ready: false, ...options })), episodeOf(SUBJECT));
  return trouble === undefined ? undefined : [trouble.symptom, trouble.container];
}

const before = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000).toISOString();
const running = (minutes: number): Raw => ({ state: { running: { startedAt: before(minutes) } } });
const killed = (minutes: number): Raw => ({
  lastState: { terminated: { exitCode: 137, reason: 'OOMKilled', finishedAt: before(minutes) } },
});
const proxy = (status: Raw) => ({
  container: { name: 'proxy' },
  status: { name: 'proxy', restartCount: 1, ...status },
});
const waitFor = (reason: string): Raw => ({ ready: false, state: { waiting: { reason } } });
const scheduled = (minutes: number) => [{ type: 'PodScheduled', status: 'True', lastTransitionTime: before(minutes) }];

const CASES: Readonly<Record<string, { readonly pod: PodOptions; readonly expected: ReturnType<typeof troubleIn> }>> = {
  'an out-of-memory kill of a sidecar three days ago does not explain a crash now': {
    pod: { status: crashed(1), sidecar: proxy({ ready: true, ...running(3 * 24 * 60 - 1), ...killed(3 * 24 * 60) }) },
    expected: ['crash', 'app'],
  },
  'a sidecar killed for memory a minute ago and ready again comes after the container that fails now': {
    pod: { status: crashed(1), sidecar: proxy({ ready: true, ...running(1), ...killed(1) }) },
    expected: ['crash', 'app'],
  },
  'an out-of-memory kill three days ago is no trouble of a ready pod': {
    pod: { ready: true, status: { ...running(3 * 24 * 60 - 1), ...killed(3 * 24 * 60) } },
    expected: undefined,
  },
  'an exit code three days ago does not explain why a running container is not ready': {
    pod: {
      status: {
        ready: false,
        ...running(3 * 24 * 60 - 1),
        lastState: { terminated: { exitCode: 1, reason: 'Error', finishedAt: before(3 * 24 * 60) } },
      },
    },
    expected: ['not-ready', 'app'],
  },
  'a container killed for memory minutes ago counts while it is up again': {
    pod: { ready: true, status: { ...running(2), ...killed(2) } },
    expected: ['oom', 'app'],
  },
  'a sidecar killed for memory a minute ago and ready again does not explain why another container is not ready': {
    pod: { status: { ready: false, ...running(10) }, sidecar: proxy({ ready: true, ...running(1), ...killed(1) }) },
    expected: ['not-ready', 'app'],
  },
  'a sidecar killed for memory does not explain the later crashes of a container that is ready between two of them': {
    pod: {
      ready: true,
      status: {
        ...running(0.01),
        restartCount: 6,
        lastState: { terminated: { exitCode: 1, reason: 'Error', finishedAt: before(1) } },
      },
      sidecar: proxy({ ready: true, ...running(19), ...killed(20) }),
    },
    expected: undefined,
  },
  'a termination without a time belongs to no episode': {
    pod: {
      ready: true,
      status: { state: { running: {} }, lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } } },
    },
    expected: undefined,
  },
  'an init container that has run for minutes holds the pod': {
    pod: {
      phase: 'Pending',
      conditions: scheduled(5),
      status: waitFor('PodInitializing'),
      init: { container: { name: 'wait-db' }, status: { name: 'wait-db', ...running(5) } },
    },
    expected: ['initializing', 'wait-db'],
  },
  'an init container that has only begun holds nothing yet': {
    pod: {
      phase: 'Pending',
      conditions: scheduled(5),
      status: waitFor('PodInitializing'),
      init: { container: { name: 'wait-db' }, status: { name: 'wait-db', ...running(0.5) } },
    },
    expected: undefined,
  },
  'a pod in ContainerCreating for minutes is in trouble': {
    pod: { phase: 'Pending', conditions: scheduled(5), status: waitFor('ContainerCreating') },
    expected: ['creating', 'app'],
  },
  'a pod in ContainerCreating for seconds is starting': {
    pod: { phase: 'Pending', conditions: scheduled(0.5), status: waitFor('ContainerCreating') },
    expected: undefined,
  },
};

for (const [reason, { pod: options, expected }] of Object.entries(CASES)) {
  test(reason, () => assert.deepEqual(troubleIn(options), expected));
}
