import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { projectEvent } from './project-event.ts';
import { projectJob } from './project-job.ts';
import { projectNode } from './project-node.ts';
import { projectPod } from './project-pod.ts';
import { projectService } from './project-service.ts';
import { projectControllerRevision, projectReplicaSetRevision, projectWorkload } from './project-workload.ts';
import { asRecord } from './raw.ts';

test('odd objects project without an error', () => {
  const odd = fc.dictionary(
    fc.constantFrom('metadata', 'spec', 'status', 'data', 'series', 'regarding', 'revision'),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(odd, (object) => {
      projectPod(object);
      projectWorkload(object, 'Deployment');
      projectReplicaSetRevision(object);
      projectControllerRevision(object);
      projectNode(object);
      projectEvent(object);
      projectJob(object);
      projectService(object, [object]);
    }),
  );
});

test('a pod keeps init and regular containers apart and never a value of a Secret', () => {
  const pod = projectPod({
    metadata: { name: 'a', namespace: 'n', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: {
      initContainers: [{ name: 'i', image: 'init' }],
      containers: [
        {
          name: 'app',
          image: 'app:1',
          env: [
            { name: 'A', value: '1' },
            { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
          ],
          resources: { limits: { memory: '64Mi', cpu: '500m' } },
        },
      ],
      volumes: [
        { name: 'v', emptyDir: {} },
        { name: 'w', secret: { secretName: 's' } },
      ],
    },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'False' }],
      containerStatuses: [
        {
          name: 'app',
          restartCount: 2,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
        },
      ],
    },
  });
  assert.deepEqual(
    pod.specs.map((spec) => [spec.name, spec.init]),
    [
      ['i', true],
      ['app', false],
    ],
  );
  assert.deepEqual(pod.specs[1]?.env[1]?.source, { kind: 'secretKey', name: 's', key: 'k', optional: false });
  assert.deepEqual(pod.specs[1]?.limits, { cpuMillis: 500, memoryBytes: 64 * 2 ** 20 });
  assert.equal(pod.statuses[0]?.lastTerminated?.exitCode, 137);
  assert.equal(pod.statuses[0]?.waiting?.reason, 'CrashLoopBackOff');
  assert.equal(pod.ready, false);
  assert.deepEqual(pod.volumes, [
    { name: 'v', kind: 'emptyDir' },
    { name: 'w', kind: 'secret', source: 's' },
  ]);
});

test('an event reads the same from both APIs', () => {
  const core = projectEvent({
    metadata: { uid: 'u', namespace: 'n' },
    type: 'Warning',
    reason: 'Failed',
    message: 'm',
    count: 3,
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:01:00Z',
    involvedObject: { kind: 'Pod', name: 'p', namespace: 'n', uid: 'pu' },
    source: { component: 'kubelet' },
  });
  const newer = projectEvent({
    metadata: { uid: 'u', namespace: 'n' },
    type: 'Warning',
    reason: 'Failed',
    note: 'm',
    eventTime: '2026-01-01T00:00:00Z',
    series: { count: 3, lastObservedTime: '2026-01-01T00:01:00Z' },
    regarding: { kind: 'Pod', name: 'p', namespace: 'n', uid: 'pu' },
    reportingController: 'kubelet',
  });
  assert.deepEqual(core, newer);
});

test('a revision leaves out the label that tells ReplicaSets apart, and only that', () => {
  const revision = projectReplicaSetRevision({
    metadata: { name: 'rs', uid: 'u', annotations: { 'deployment.kubernetes.io/revision': '3' } },
    spec: {
      template: { metadata: { labels: { app: 'a', 'pod-template-hash': 'x' } }, spec: { containers: [{ name: 'c' }] } },
    },
    status: { replicas: 2, readyReplicas: 1 },
  });
  assert.equal(revision?.revision, 3);
  assert.deepEqual(asRecord(revision?.template.metadata).labels, { app: 'a' });
  assert.equal(revision?.specs[0]?.name, 'c');
});

test('a Service counts each pod once over address families, and only its own slices', () => {
  const slice = (service: string, ready: boolean | undefined) => ({
    metadata: { namespace: 'n', labels: { 'kubernetes.io/service-name': service } },
    endpoints: [{ targetRef: { name: 'p' }, conditions: ready === undefined ? {} : { ready } }],
  });
  const service = projectService({ metadata: { name: 'db', namespace: 'n' }, spec: { selector: { app: 'db' } } }, [
    slice('db', false),
    slice('db', undefined),
    slice('other', true),
  ]);
  assert.deepEqual(service.endpoints, { ready: 1, notReady: 0, podNames: ['p'] });
});
