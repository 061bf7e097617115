import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crashed, gatherFrom, NOW, pod, SUBJECT, type World } from './case.fixture.ts';
import { nextReads } from './gather.ts';
import { pictureOf } from './settled.ts';
import { viewOf } from './view.ts';

const ago = (seconds: number): string => new Date(NOW.getTime() - seconds * 1_000).toISOString();
const failed = (seconds: number) => ({
  terminated: { exitCode: 1, reason: 'Error', startedAt: ago(seconds + 1), finishedAt: ago(seconds) },
});
const runningFor = (seconds: number, restartCount = 2) => ({
  ready: true,
  restartCount,
  state: { running: { startedAt: ago(seconds) } },
  lastState: restartCount === 0 ? {} : failed(seconds + 1),
});

const CASES: Readonly<Record<string, { pods: World['pods']; expected: string }>> = {
  'pods in back-off': { pods: [pod('a', { ready: false, status: crashed() })], expected: 'settled' },
  'young pods where nothing has failed': {
    pods: [pod('a', { status: runningFor(1, 0) })],
    expected: 'settled',
  },
  'a container that restarted a second ago': {
    pods: [pod('a', { status: runningFor(1) })],
    expected: 'just-started',
  },
  'a pod in back-off beside one that restarted a second ago': {
    pods: [pod('a', { ready: false, status: crashed() }), pod('b', { status: runningFor(1) })],
    expected: 'just-started',
  },
  'a container that has ended and waits for nothing yet': {
    pods: [pod('a', { ready: false, status: { restartCount: 1, state: failed(0) } })],
    expected: 'between-two-lives',
  },
  'a container that restarted and has run for a while': {
    pods: [pod('a', { status: runningFor(60) })],
    expected: 'settled',
  },
};

describe('whether the pods were read at a moment that shows how they are', () => {
  for (const [name, { pods, expected }] of Object.entries(CASES)) {
    it(name, () => {
      const known = gatherFrom({ pods }, SUBJECT, (so) => nextReads(SUBJECT, so));
      const picture = pictureOf(viewOf(SUBJECT, known), NOW, 10_000);
      assert.equal(picture.kind === 'settled' ? 'settled' : picture.reason, expected);
    });
  }
});
