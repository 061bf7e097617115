import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '../kube-client/pod.ts';
import type { Deployment } from '../kube-client/workload.ts';
import type { WorldCondition } from './story.ts';
import { conditionState, type WorldView } from './world-condition.ts';

function deployment(status: Deployment['status'], generation = 2): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'app', generation },
    spec: { replicas: 2, selector: { matchLabels: {} }, template: { spec: { containers: [] } } },
    ...(status === undefined ? {} : { status }),
  };
}

function pod(status: Pod['status']): Pod {
  const labels = { 'app.kubernetes.io/name': 'app' };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', labels },
    spec: { containers: [] },
    ...(status && { status }),
  };
}

const DONE = { observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2 };
const LOOPING = pod({
  containerStatuses: [
    {
      name: 'app',
      image: '',
      imageID: '',
      ready: false,
      restartCount: 3,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: {},
    },
  ],
});
const READY = pod({ conditions: [{ type: 'Ready', status: 'True' }] });
const UNSCHEDULED = pod({ conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] });

const TABLE: readonly (readonly [string, WorldCondition, Partial<WorldView>, 'holds' | 'not-yet'])[] = [
  ['a rollout that is done', { kind: 'rolled-out', deployment: 'app' }, { deployments: [deployment(DONE)] }, 'holds'],
  [
    'a rollout whose newest generation nobody has looked at',
    { kind: 'rolled-out', deployment: 'app' },
    { deployments: [deployment({ ...DONE, observedGeneration: 1 })] },
    'not-yet',
  ],
  [
    'a rollout with an old replica left',
    { kind: 'rolled-out', deployment: 'app' },
    { deployments: [deployment({ ...DONE, replicas: 3 })] },
    'not-yet',
  ],
  ['a namespace without deployments', { kind: 'all-rolled-out' }, {}, 'not-yet'],
  ['all deployments done', { kind: 'all-rolled-out' }, { deployments: [deployment(DONE)] }, 'holds'],
  [
    'a container that waits for the reason',
    { kind: 'container-waiting', workload: 'app', reason: 'CrashLoopBackOff' },
    { pods: [LOOPING] },
    'holds',
  ],
  [
    'a container that waits for another',
    { kind: 'container-waiting', workload: 'app', reason: 'ImagePullBackOff' },
    { pods: [LOOPING] },
    'not-yet',
  ],
  ['enough restarts', { kind: 'restarts-at-least', workload: 'app', count: 3 }, { pods: [LOOPING] }, 'holds'],
  [
    'as many ready pods as asked',
    { kind: 'ready-pods', workload: 'app', count: 1 },
    { pods: [READY, LOOPING] },
    'holds',
  ],
  [
    'pods that are leaving',
    { kind: 'ready-pods', workload: 'app', count: 1 },
    { pods: [{ ...READY, metadata: { ...READY.metadata, deletionTimestamp: 'x' } }] },
    'not-yet',
  ],
  ['a pod without a node', { kind: 'unscheduled-pod', workload: 'app' }, { pods: [UNSCHEDULED] }, 'holds'],
  ['a job nobody has started', { kind: 'job-complete', job: 'task' }, {}, 'not-yet'],
];

for (const [sentence, condition, view, wanted] of TABLE) {
  test(`${condition.kind}: ${sentence} → ${wanted}`, () => {
    assert.equal(conditionState(condition, { pods: [], deployments: [], jobs: [], ...view }).kind, wanted);
  });
}
