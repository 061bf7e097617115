import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '../shape/pod.ts';
import type { Job } from '../shape/workloads.ts';
import { aPod, NOW } from '../testing/samples.ts';
import { decideJob, type JobDecision, type JobFacts } from './decide-job.ts';
import { NO_FAILURES, nextStreak, remainingDelay } from './job-backoff.ts';

function aJob(spec: Partial<Job['spec']> = {}, status: Job['status'] = {}): Job {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'work' }] } };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'sum', namespace: 'shop', uid: 'job' },
    spec: { template, ...spec },
    status,
  };
}

function decide(job: Job, pods: readonly Pod[], more: Partial<JobFacts> = {}): JobDecision {
  return decideJob({
    job,
    pods,
    newlySucceeded: [],
    newlyFailed: [],
    streak: NO_FAILURES,
    now: new Date(NOW),
    stamp: NOW,
    sinceStart: 0,
    sinceFailure: 0,
    ...more,
  });
}

function conditionsOf(decision: JobDecision): readonly string[] {
  return (decision.statuses.at(-1)?.conditions ?? []).map(({ type, reason }) => `${type}/${reason}`);
}

const failed = (name: string): Pod => aPod(name, { phase: 'Failed', ready: false });
const succeeded = (name: string): Pod => aPod(name, { phase: 'Succeeded', ready: false });

describe('a running job', () => {
  it('starts as many pods as may run at once and are still needed', () => {
    assert.equal(decide(aJob({ completions: 5, parallelism: 2 }), []).create, 2);
    assert.equal(decide(aJob({ completions: 5, parallelism: 2 }, { succeeded: 4 }), []).create, 1);
    assert.equal(decide(aJob(), []).create, 1);
  });

  it('gives up pods when fewer may run', () => {
    const decision = decide(aJob({ completions: 5, parallelism: 1 }), [aPod('a'), aPod('b', { ready: false })]);
    assert.deepEqual([decision.create, decision.remove.map(({ metadata }) => metadata.name)], [0, ['b']]);
  });

  it('waits after a failure before it starts another', () => {
    const streak = { failures: 2, lastFailureAt: 0 };
    const decision = decide(aJob({}, { failed: 1 }), [failed('a')], {
      newlyFailed: [failed('a')],
      streak,
      sinceFailure: 5_000,
    });
    assert.deepEqual([decision.create, decision.lookAgainIn, decision.statuses[0]?.failed], [0, 15_000, 2]);
  });

  it('counts a pod that is taken away as failed and replaces it', () => {
    const gone = aPod('a', { deleted: true });
    const decision = decide(aJob(), [gone], { newlyFailed: [gone] });
    assert.deepEqual([decision.create, decision.statuses[0]?.failed, decision.statuses[0]?.terminating], [1, 1, 1]);
  });

  it('ends its pods while suspended', () => {
    const decision = decide(aJob({ suspend: true }, { startTime: NOW }), [aPod('a')]);
    assert.deepEqual(
      [decision.kind, decision.remove.length, conditionsOf(decision)],
      ['suspended', 1, ['Suspended/JobSuspended']],
    );
    assert.equal(decision.statuses[0]?.startTime, undefined);
  });
});

describe('a job ends', () => {
  it('well when enough pods succeeded', () => {
    const decision = decide(aJob({ completions: 2 }, { succeeded: 1 }), [succeeded('b')], {
      newlySucceeded: [succeeded('b')],
    });
    assert.deepEqual(conditionsOf(decision), ['SuccessCriteriaMet/CompletionsReached', 'Complete/CompletionsReached']);
    assert.equal(decision.finished?.message, 'Reached expected number of succeeded pods');
    assert.equal(decision.statuses.at(-1)?.completionTime, NOW);
  });

  it('well after any success where no number is asked for, once the others are done', () => {
    const first = succeeded('a');
    const job = aJob({ parallelism: 2 });
    assert.equal(decide(job, [first, aPod('b')], { newlySucceeded: [first] }).kind, 'running');
    assert.equal(decide(job, [first], { newlySucceeded: [first] }).finished?.type, 'Complete');
  });

  it('badly past its back-off limit', () => {
    const decision = decide(aJob({ backoffLimit: 1 }, { failed: 1 }), [failed('b')], { newlyFailed: [failed('b')] });
    assert.deepEqual(conditionsOf(decision), ['FailureTarget/BackoffLimitExceeded', 'Failed/BackoffLimitExceeded']);
    assert.equal(decision.finished?.message, 'Job has reached the specified backoff limit');
  });

  it('badly when restarts inside a pod reach the limit', () => {
    const template = { spec: { restartPolicy: 'OnFailure', containers: [{ name: 'work' }] } };
    const restarting = aPod('a', { ready: false, restarts: 3 });
    assert.equal(decide(aJob({ backoffLimit: 3, template }), [restarting]).kind, 'finishing');
    assert.equal(decide(aJob({ backoffLimit: 4, template }), [restarting]).kind, 'running');
  });

  it('badly at its deadline, but not finally before its pods are gone', () => {
    const job = aJob({ activeDeadlineSeconds: 20 }, { startTime: NOW });
    const decision = decide(job, [aPod('a')], { sinceStart: 20_000 });
    assert.deepEqual([conditionsOf(decision), decision.finished], [['FailureTarget/DeadlineExceeded'], undefined]);
    assert.deepEqual([decision.remove.length, decision.statuses[0]?.failed], [1, 1]);
    const later = decide({ ...job, status: { ...decision.statuses[0] } }, [], { sinceStart: 25_000 });
    assert.deepEqual(conditionsOf(later), ['FailureTarget/DeadlineExceeded', 'Failed/DeadlineExceeded']);
    assert.equal(later.statuses.at(-1)?.failed, 1, 'the pod is not counted again');
  });

  it('once', () => {
    const conditions = [{ type: 'Complete', status: 'True' as const }];
    const decision = decide(aJob({}, { conditions }), [failed('a')], { newlyFailed: [failed('a')] });
    assert.deepEqual([decision.kind, decision.statuses, decision.create], ['finished-before', [], 0]);
  });
});

describe('the delay after failures', () => {
  it('doubles from ten seconds to ten minutes', () => {
    const delays = [0, 1, 2, 3, 7, 40].map((failures) => remainingDelay({ failures, lastFailureAt: 0 }, 0) / 1000);
    assert.deepEqual(delays, [0, 10, 20, 40, 600, 600]);
  });

  it('starts over after a success, with the failures since', () => {
    const three = nextStreak({ failures: 2, lastFailureAt: 1 }, [], [5]);
    assert.deepEqual(three, { failures: 3, lastFailureAt: 5 });
    assert.deepEqual(nextStreak(three, [10], [9]), NO_FAILURES);
    assert.deepEqual(nextStreak(three, [10], [9, 11]), { failures: 1, lastFailureAt: 11 });
  });
});
