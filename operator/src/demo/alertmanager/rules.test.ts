import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerState, Pod } from '../kube-client/pod.ts';
import type { Deployment, Job } from '../kube-client/workload.ts';
import type { RuleName } from '../stories/alert-source.ts';
import type { Labels } from './alert.ts';
import { trueFor } from './alert-rules.ts';
import { annotationsOf } from './rule-text.ts';
import { evaluateTrack, type Track } from './rule-track.ts';

function meta(name: string) {
  return { name, namespace: 'shop', uid: `uid-${name}`, labels: { 'app.kubernetes.io/name': 'app' } };
}

function pod(state: ContainerState, phase = 'Running'): Pod {
  const status = { name: 'app', image: '', imageID: '', ready: false, restartCount: 0, state, lastState: {} };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: meta('app-1'),
    spec: { containers: [] },
    status: { phase, containerStatuses: [status] },
  };
}

function deployment(available: number, condition: { type: string; status: string }): Deployment {
  const template = { spec: { containers: [] } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: meta('app'),
    spec: { replicas: 2, selector: { matchLabels: {} }, template },
    status: { availableReplicas: available, conditions: [condition] },
  };
}

function job(type: string): Job {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: meta('task'),
    spec: { template: { spec: { containers: [] } } },
    status: { conditions: [{ type, status: 'True' }] },
  };
}

const LOOPING = pod({ waiting: { reason: 'CrashLoopBackOff' } });
const PULLING = pod({ waiting: { reason: 'ImagePullBackOff' } }, 'Pending');
const GOING = { type: 'Progressing', status: 'True' };
const STUCK = { type: 'Progressing', status: 'False' };

const TABLE: readonly (readonly [RuleName, string, readonly Pod[], readonly Deployment[], readonly Job[], number])[] = [
  ['KubePodCrashLooping', 'a container in back-off', [LOOPING], [], [], 1],
  ['KubePodCrashLooping', 'a container that waits for its image', [PULLING], [], [], 0],
  ['KubeContainerWaiting', 'a container that waits for its image', [PULLING], [], [], 1],
  ['KubeContainerWaiting', 'a container in back-off', [LOOPING], [], [], 0],
  ['KubePodNotReady', 'a pending pod', [PULLING], [], [], 1],
  ['KubePodNotReady', 'a running pod', [LOOPING], [], [], 0],
  ['KubeDeploymentReplicasMismatch', 'a missing replica', [], [deployment(1, GOING)], [], 1],
  ['KubeDeploymentReplicasMismatch', 'all replicas', [], [deployment(2, STUCK)], [], 0],
  ['KubeDeploymentRolloutStuck', 'no progress', [], [deployment(2, STUCK)], [], 1],
  ['KubeDeploymentRolloutStuck', 'progress', [], [deployment(1, GOING)], [], 0],
  ['KubeJobFailed', 'a failed job', [], [], [job('Failed')], 1],
  ['KubeJobFailed', 'a completed job', [], [], [job('Complete')], 0],
];

for (const [rule, sentence, pods, deployments, jobs, wanted] of TABLE) {
  test(`${rule} ${wanted === 1 ? 'is true for' : 'says nothing of'} ${sentence}`, () => {
    const found = trueFor(rule, { pods, deployments, jobs }, 'app');
    assert.equal(found.length, wanted);
    assert.equal(
      found.every((labels) => labels.alertname === rule && labels.severity === 'warning'),
      true,
    );
    assert.equal(trueFor(rule, { pods, deployments, jobs }, 'other').length, 0);
  });
}

test('annotations name the object as the rules do', () => {
  const [labels = {}] = trueFor('KubePodCrashLooping', { pods: [LOOPING], deployments: [], jobs: [] });
  assert.equal(
    annotationsOf('KubePodCrashLooping', labels).description,
    'Pod shop/app-1 (app) is in waiting state (reason: "CrashLoopBackOff") on cluster .',
  );
});

const ONE: Labels = { alertname: 'X' };

/** Evaluates at each instant with what was true then; `F` fires, `R` just resolved, `.` neither. */
function follow(trueAt: readonly boolean[], forMs: number, keepMs: number): string {
  let track: Track = new Map();
  return trueAt
    .map((isTrue, index) => {
      const step = evaluateTrack(track, isTrue ? [ONE] : [], index * 10, forMs, keepMs);
      track = step.track;
      return step.firing.length > 0 ? 'F' : step.resolved.length > 0 ? 'R' : '.';
    })
    .join('');
}

const [t, f] = [true, false];
const TRACKS: readonly (readonly [string, readonly boolean[], number, number, string])[] = [
  ['fires once it has been true long enough', [t, t, t, t], 20, 0, '..FF'],
  ['a gap before that starts the wait anew', [t, f, t, t, t], 20, 0, '....F'],
  ['resolves once, when it is no longer true', [t, t, f, f], 10, 0, '.FR.'],
  ['what never fired never resolves', [t, f, f], 20, 0, '...'],
  ['looking back bridges a gap and delays the end', [t, f, t, t, f, f, f], 20, 20, '..FFFR.'],
];

for (const [sentence, trueAt, forMs, keepMs, wanted] of TRACKS) {
  test(`a rule ${sentence}`, () => assert.equal(follow(trueAt, forMs, keepMs), wanted));
}
