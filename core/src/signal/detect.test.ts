import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ContainerStatusFact } from '../facts/facts.ts';
import { detectPod, noteOfPodEnd, type PodSurroundings } from './detect-pod.ts';
import {
  detectDeployment,
  isProgressing,
  isRolledOut,
  noteDeploymentChange,
  progressOf,
  type WatchedDeployment,
} from './detect-workload.ts';
import { judgeEvent } from './event-note.ts';
import { fitsSomewhere, type WatchedPod } from './watched.ts';

const POD: WatchedPod = {
  uid: 'u',
  namespace: 'shop',
  name: 'web-1',
  controller: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'r', controller: true },
  templateHash: undefined,
  nodeName: 'n1',
  phase: 'Running',
  statusReason: undefined,
  statusMessage: undefined,
  deleting: false,
  createdAt: new Date(0),
  ready: true,
  unreadySince: undefined,
  unscheduled: undefined,
  requests: { cpuMillis: 100, memoryBytes: 100 },
  containers: [],
};

const AROUND: PodSurroundings = {
  readySiblings: 2,
  ownedByJob: false,
  fitsSomewhere: true,
  series: undefined,
  firing: [],
  rolloutProgressAt: undefined,
  wasReady: false,
};

const SERIES = { restarts: 4, firstAt: new Date(0), lastAt: new Date(30), healMs: 60 };

function container(over: Partial<ContainerStatusFact>): ContainerStatusFact {
  return { name: 'app', init: false, ready: false, started: false, restartCount: 0, ...over };
}

const waiting = (reason: string, message = '', restartCount = 0): WatchedPod => ({
  ...POD,
  ready: false,
  containers: [container({ waiting: { reason, message }, restartCount })],
});
const ended = (reason: string, exitCode: number, restartCount: number): WatchedPod => ({
  ...POD,
  ready: false,
  containers: [container({ terminated: { reason, exitCode }, restartCount })],
});

describe('what is wrong with a pod', () => {
  const CASES: Readonly<
    Record<string, { pod: WatchedPod; around?: Partial<PodSurroundings>; expected: readonly string[] }>
  > = {
    'a ready pod: nothing': { pod: POD, expected: [] },
    'a pod that is leaving: nothing': { pod: { ...waiting('CrashLoopBackOff', '', 5), deleting: true }, expected: [] },
    'a completed pod: nothing': { pod: { ...ended('Completed', 0, 0), phase: 'Succeeded' }, expected: [] },
    'an evicted pod: nothing': { pod: { ...ended('Error', 137, 0), phase: 'Failed' }, expected: [] },
    'back-off after a restart: a crash loop at once': {
      pod: waiting('CrashLoopBackOff', '', 1),
      expected: ['CrashLoopBackOff now'],
    },
    'a first crash: waits': { pod: ended('Error', 1, 0), expected: ['CrashLoopBackOff firstCrash'] },
    'a second death: at once': { pod: ended('Error', 1, 1), expected: ['CrashLoopBackOff now'] },
    'a container that ended well: only unready': { pod: ended('Completed', 0, 0), expected: ['PodNotReady notReady'] },
    'killed for memory twice: at once': { pod: ended('OOMKilled', 137, 1), expected: ['OomKilled now'] },
    'a crash of a job’s pod: the job’s own business': {
      pod: waiting('CrashLoopBackOff', '', 3),
      around: { ownedByJob: true },
      expected: ['PodNotReady notReady'],
    },
    'an image that is not found: at once': {
      pod: waiting('ErrImagePull', 'manifest unknown: not found'),
      expected: ['ImagePullBackOff now'],
    },
    'a registry that does not answer: waits': {
      pod: waiting('ErrImagePull', 'dial tcp: i/o timeout'),
      expected: ['ImagePullBackOff imagePull'],
    },
    'something referred to is missing: waits a moment': {
      pod: waiting('CreateContainerConfigError', 'secret "x" not found'),
      expected: ['ConfigError config'],
    },
    'no node now, but some could hold it: waits': {
      pod: {
        ...POD,
        ready: false,
        nodeName: undefined,
        unscheduled: { reason: 'Unschedulable', message: '', since: undefined },
      },
      expected: ['Unschedulable unschedulable'],
    },
    'no node could ever hold it: at once': {
      pod: {
        ...POD,
        ready: false,
        nodeName: undefined,
        unscheduled: { reason: 'Unschedulable', message: '', since: undefined },
      },
      around: { fitsSomewhere: false },
      expected: ['Unschedulable now'],
    },
    'unready while siblings are ready': { pod: { ...POD, ready: false }, expected: ['PodNotReady notReady'] },
    'unready like all its siblings': {
      pod: { ...POD, ready: false },
      around: { readySiblings: 0 },
      expected: ['PodNotReady notReadyAlone'],
    },
    'not yet on a node: nothing': { pod: { ...POD, ready: false, nodeName: undefined }, expected: [] },
    'a container that keeps restarting without ever backing off': {
      pod: POD,
      around: { series: SERIES },
      expected: ['RestartStorm now'],
    },
    'restarts of one container, and an old kill for memory of another: no kill for memory': {
      pod: {
        ...POD,
        containers: [
          container({ lastTerminated: { reason: 'Error', exitCode: 1, finishedAt: new Date(30) } }),
          container({
            name: 'proxy',
            lastTerminated: { reason: 'OOMKilled', exitCode: 137, finishedAt: new Date(-3 * 86_400_000) },
          }),
        ],
      },
      around: { series: SERIES },
      expected: ['RestartStorm now'],
    },
    'one more restart of a storm that fires: the storm': {
      pod: ended('Error', 1, 5),
      around: { series: SERIES, firing: ['RestartStorm'] },
      expected: ['RestartStorm now'],
    },
    'a back-off after a storm: a crash loop besides': {
      pod: waiting('CrashLoopBackOff', '', 6),
      around: { series: SERIES, firing: ['RestartStorm'] },
      expected: ['CrashLoopBackOff now'],
    },
    'restarts of a crash that fires: no storm besides': {
      pod: POD,
      around: { series: SERIES, firing: ['CrashLoopBackOff/app'] },
      expected: [],
    },
    'a second death while the rollout comes further: waits': {
      pod: ended('Error', 1, 1),
      around: { rolloutProgressAt: new Date(0) },
      expected: ['CrashLoopBackOff rolloutCrash'],
    },
    'killed for memory twice during a rollout: at once': {
      pod: ended('OOMKilled', 137, 1),
      around: { rolloutProgressAt: new Date(0) },
      expected: ['OomKilled now'],
    },
  };
  for (const [name, { pod, around, expected }] of Object.entries(CASES)) {
    it(name, () => {
      const found = detectPod(pod, { ...AROUND, ...around });
      assert.deepEqual(
        found.map((symptom) => `${symptom.kind} ${symptom.hold ?? 'now'}`),
        expected,
      );
    });
  }

  it('an end that others caused says why', () => {
    assert.equal(noteOfPodEnd({ ...POD, phase: 'Failed', statusReason: 'Evicted' })?.reason, 'pod-evicted');
    assert.equal(noteOfPodEnd({ ...POD, phase: 'Failed', statusReason: 'Preempting' })?.reason, 'pod-preempted');
    assert.equal(noteOfPodEnd({ ...POD, phase: 'Failed' }), undefined);
  });

  it('a pod fits where both its requests do; without nodes nothing speaks against it', () => {
    const node = (cpuMillis: number, memoryBytes: number) => ({
      name: 'n',
      uid: 'n',
      ready: 'True' as const,
      conditions: [],
      unschedulable: false,
      taints: [],
      allocatable: { cpuMillis, memoryBytes },
      labels: {},
    });
    assert.equal(fitsSomewhere({ cpuMillis: 2, memoryBytes: 2 }, [node(1, 9), node(9, 1)]), false);
    assert.equal(fitsSomewhere({ cpuMillis: 2, memoryBytes: 2 }, [node(1, 9), node(2, 2)]), true);
    assert.equal(fitsSomewhere({ cpuMillis: 2 }, []), true);
  });
});

describe('what is wrong with a Deployment', () => {
  const WEB: WatchedDeployment = {
    uid: 'd',
    namespace: 'shop',
    name: 'web',
    generation: 2,
    observedGeneration: 2,
    replicas: 3,
    updated: 3,
    total: 3,
    ready: 3,
    available: 3,
    revision: 2,
    conditions: [],
    restartedAt: undefined,
  };
  const stuck = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' };
  const CASES: Readonly<Record<string, { now: Partial<WatchedDeployment>; expected: readonly string[] }>> = {
    'rolled out: nothing': { now: {}, expected: [] },
    'stuck: at once': { now: { conditions: [stuck] }, expected: ['ProgressDeadlineExceeded now'] },
    'short of replicas: waits': { now: { available: 2 }, expected: ['ReplicasUnavailable replicas'] },
    'not observed yet: nothing': { now: { available: 0, generation: 3 }, expected: [] },
    'scaled to zero: nothing': { now: { replicas: 0, available: 0, updated: 0, total: 0 }, expected: [] },
  };
  for (const [name, { now, expected }] of Object.entries(CASES)) {
    it(name, () => {
      const found = detectDeployment({ ...WEB, ...now });
      assert.deepEqual(
        found.map((symptom) => `${symptom.reason} ${symptom.hold ?? 'now'}`),
        expected,
      );
    });
  }

  it('a rollout is under way from the change until every replica has come or the deadline has passed', () => {
    const progressing = (reason: string, status = 'True') => [{ type: 'Progressing', status, reason }];
    const states: Readonly<Record<string, [Partial<WatchedDeployment>, boolean]>> = {
      'changed, not observed yet': [{ generation: 3, conditions: progressing('NewReplicaSetAvailable') }, true],
      'pods are replaced': [{ updated: 1, conditions: progressing('ReplicaSetUpdated') }, true],
      'all have come': [{ conditions: progressing('NewReplicaSetAvailable') }, false],
      'all had come, and one is away': [{ available: 2, conditions: progressing('NewReplicaSetAvailable') }, false],
      'the deadline has passed': [{ updated: 1, conditions: [stuck] }, false],
      paused: [{ updated: 1, conditions: progressing('DeploymentPaused', 'Unknown') }, false],
      'without a deadline, old pods are left': [{ updated: 1 }, true],
      'without a deadline, none is left': [{}, false],
    };
    for (const [name, [now, expected]] of Object.entries(states))
      assert.equal(isProgressing({ ...WEB, ...now }), expected, name);
    assert.ok(progressOf({ ...WEB, updated: 1 }, WEB));
    assert.ok(progressOf(WEB, { ...WEB, revision: 9 }), 'another revision is another rollout');
    assert.equal(progressOf(WEB, { ...WEB, available: 2 }), undefined);
    assert.equal(progressOf({ ...WEB, available: 1, updated: 1 }, { ...WEB, available: 0 })?.available, 1);
  });

  it('changes on purpose are noted', () => {
    const notes = (before: Partial<WatchedDeployment>, now: Partial<WatchedDeployment>, rolling = false) =>
      noteDeploymentChange({ ...WEB, ...before }, { ...WEB, ...now }, rolling).map((note) => note.reason);
    assert.deepEqual(notes({}, { replicas: 0 }), ['scaled-to-zero']);
    assert.deepEqual(notes({}, { replicas: 5 }), ['scaled']);
    assert.deepEqual(notes({}, {}, true), ['rollout-completed']);
    assert.deepEqual(notes({}, { available: 2 }, true), []);
    assert.equal(isRolledOut({ ...WEB, total: 4 }), false);
  });
});

describe('what a warning means', () => {
  const EVENT = {
    uid: 'e',
    type: 'Warning',
    reason: 'BackOff',
    message: 'm',
    count: 1,
    regarding: { kind: 'Pod', namespace: 'shop', name: 'web-1', uid: 'u' },
    reporter: 'kubelet',
  };
  const around = { ageMs: 0, oldAfterMs: 100, ours: false, objectPresent: true };
  const CASES = {
    'ours: no matter what': [{ ours: true, ageMs: 500 }, 'own-event'],
    'old: about the past': [{ ageMs: 101 }, 'old-warning'],
    'about something that is gone': [{ objectPresent: false }, 'object-gone'],
    'fresh, about something that is there: wait and see': [{}, 'wait'],
  } as const;
  for (const [name, [over, expected]] of Object.entries(CASES)) {
    it(name, () => {
      const verdict = judgeEvent(EVENT, { ...around, ...over });
      assert.equal(verdict.kind === 'wait' ? 'wait' : verdict.note.reason, expected);
    });
  }
});
