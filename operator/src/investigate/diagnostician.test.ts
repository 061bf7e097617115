import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crashed, NOW, pod, replicaSet, SUBJECT, type World } from '@hephaisto/core/diagnose/case.fixture';
import type { Raw } from '@hephaisto/core/facts/raw';
import { concludeByRules } from './diagnostician.ts';
import { memoryReader } from './memory-reader.fixture.ts';
import { TOOLBOX } from './toolbox.ts';
import { createUnrecordedReader } from './unrecorded.ts';

const never = new AbortController().signal;
const ago = (seconds: number): string => new Date(NOW.getTime() - seconds * 1_000).toISOString();

/** Up for a second, after a life of less than one. */
const betweenCrashes: Raw = {
  restartCount: 1,
  state: { running: { startedAt: ago(1) } },
  lastState: { terminated: { exitCode: 1, reason: 'Error', startedAt: ago(3), finishedAt: ago(2) } },
};

function workload(pods: Raw[]): World {
  const log = 'error invalid URL: cannot parse "db:54e2"';
  return {
    pods,
    replicaSets: [
      replicaSet(1, { env: [{ name: 'URL', value: 'db:5432' }] }),
      replicaSet(2, { env: [{ name: 'URL', value: 'db:54e2' }] }),
    ],
    logs: { 'new-1': log, 'new-2': log },
  };
}

async function conclude(pods: Raw[], duringSleep: () => void) {
  const reader = memoryReader(workload(pods));
  const slept: number[] = [];
  const settling = {
    clock: { now: () => NOW },
    timers: {
      sleep: (milliseconds: number) => {
        slept.push(milliseconds);
        duringSleep();
        return Promise.resolve();
      },
    },
    withinMs: 10_000,
  };
  const recorder = createUnrecordedReader(reader, TOOLBOX, [], never, () => Promise.resolve());
  const { findings } = await concludeByRules(SUBJECT, recorder, never, settling);
  return { primary: findings.find((finding) => finding.primary)?.rule, slept, asked: reader.asked };
}

describe('an investigation that begins at a bad moment', () => {
  it('waits until pods that are ready between two crashes show that they crash', async () => {
    const pods = ['new-1', 'new-2'].map((name) => pod(name, { revision: 2, status: betweenCrashes }));
    const { primary, slept } = await conclude(pods, () => {
      pods.splice(
        0,
        2,
        ...['new-1', 'new-2'].map((name) => pod(name, { revision: 2, ready: false, status: crashed() })),
      );
    });
    assert.deepEqual([primary, slept], ['rollout-change', [1_000]]);
  });

  it('goes on after ten seconds where they show nothing', async () => {
    const pods = [pod('new-1', { revision: 2, status: betweenCrashes })];
    const { slept } = await conclude(pods, () => undefined);
    assert.equal(
      slept.reduce((sum, each) => sum + each, 0),
      10_000,
    );
  });

  it('does not wait for pods that are in back-off', async () => {
    const pods = [pod('new-1', { revision: 2, ready: false, status: crashed() })];
    const { slept, asked } = await conclude(pods, () => undefined);
    assert.deepEqual(slept, []);
    assert.equal(asked.filter((question) => question.startsWith('pods')).length, 1, 'nothing is read twice');
  });
});
