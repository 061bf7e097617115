import type { Raw } from '../facts/raw.ts';
import { crashed, event, limit, pod, waiting } from './case.fixture.ts';
import type { RuleCases } from './rule-case.fixture.ts';

const QUOTA =
  'Error creating: pods "app-r1-x" is forbidden: exceeded quota: compute, requested: limits.memory=1Gi, used: limits.memory=4Gi, limited: limits.memory=4Gi';

const PAUSED = {
  metadata: {
    managedFields: [
      { manager: 'kubectl-create', time: '2026-01-01T10:00:00Z', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
      { manager: 'kubectl-rollout', time: '2026-01-01T11:40:00Z', fieldsV1: { 'f:spec': { 'f:paused': {} } } },
    ],
  },
  spec: { paused: true },
};

const SCHEDULED = [{ type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-01T11:50:00Z' }];

function held(init: string): Raw {
  return pod('a', {
    ready: false,
    phase: 'Pending',
    conditions: SCHEDULED,
    status: waiting('PodInitializing'),
    init: {
      container: { name: init },
      status: { name: init, ready: false, restartCount: 0, state: { running: { startedAt: '2026-01-01T11:51:00Z' } } },
    },
  });
}

function creating(): Raw {
  return pod('a', { ready: false, phase: 'Pending', conditions: SCHEDULED, status: waiting('ContainerCreating') });
}

/** Pods that are refused, held before they start, or not rolled out. */
export const START_CASES: RuleCases = {
  'a quota that refuses every pod is named, although there is no pod to read': {
    world: { pods: [], events: [event('FailedCreate', 'app-r1', QUOTA, 'Warning', 'ReplicaSet')] },
    expected: {
      certainty: 'proven',
      cause: { kind: 'pod-creation-refused', by: 'quota', name: 'compute' },
      quotes: 'Error creating: pods "app-r1-x" is forbidden: exceeded quota: compute',
    },
  },
  'a quota that refuses the pods of a new revision is named by the condition too': {
    world: {
      pods: [pod('a'), pod('b'), pod('c')],
      workload: {
        status: {
          replicas: 3,
          updatedReplicas: 0,
          conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: QUOTA }],
        },
      },
    },
    expected: { certainty: 'proven', cause: { kind: 'pod-creation-refused', by: 'quota', name: 'compute' } },
  },
  'a pod security level that refuses every pod': {
    world: {
      pods: [],
      events: [
        event(
          'FailedCreate',
          'app-r1',
          'Error creating: pods "app-r1-x" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true',
          'Warning',
          'ReplicaSet',
        ),
      ],
    },
    expected: {
      certainty: 'proven',
      cause: { kind: 'pod-creation-refused', by: 'pod-security', name: 'restricted:latest' },
    },
  },
  'an init container that waits is named with its last line': {
    world: { pods: [held('wait-db')], logs: { a: 'checking\nwaiting for the schema to be migrated' } },
    expected: {
      certainty: 'likely',
      cause: { kind: 'pod-start-held', by: 'init-container', container: 'wait-db' },
      quotes: 'waiting for the schema to be migrated',
    },
  },
  'an init container that waits for a Service without a ready endpoint waits for what is behind it': {
    world: {
      pods: [held('wait-db')],
      services: [{ name: 'db', ready: 0, selector: { app: 'db' } }],
      logs: { a: 'waiting for db:5432' },
    },
    expected: { certainty: 'likely', cause: { kind: 'upstream' }, quotes: 'waiting for db:5432' },
  },
  'a volume that cannot be attached is named by its event': {
    world: {
      pods: [creating()],
      events: [
        event('FailedAttachVolume', 'a', 'Multi-Attach error for volume "pvc-1" Volume is already used by pod b'),
      ],
    },
    expected: {
      certainty: 'likely',
      cause: { kind: 'pod-start-held', by: 'volume' },
      quotes: 'Multi-Attach error for volume',
    },
  },
  'a Secret that a volume needs is missing, as the mount says': {
    world: {
      pods: [creating()],
      events: [event('FailedMount', 'a', 'MountVolume.SetUp failed for volume "keys" : secret "keys" not found')],
    },
    expected: { certainty: 'proven', cause: { kind: 'config-missing', source: 'Secret', name: 'keys' } },
  },
  'a rollout that is paused half way names who paused it': {
    world: {
      pods: [pod('a'), pod('b'), pod('c')],
      workload: { ...PAUSED, status: { replicas: 3, updatedReplicas: 1, readyReplicas: 3 } },
    },
    expected: {
      certainty: 'likely',
      cause: { kind: 'rollout-paused', paused: { by: 'kubectl-rollout', at: '2026-01-01T11:40:00.000Z' } },
    },
  },
  'a limit that is too low in a paused Deployment says that it is paused': {
    world: {
      pods: [pod('a', { ready: false, status: crashed(137, 'OOMKilled'), container: limit('64Mi') })],
      workload: PAUSED,
    },
    expected: {
      certainty: 'likely',
      cause: {
        kind: 'memory-limit-too-low',
        paused: { by: 'kubectl-rollout', at: '2026-01-01T11:40:00.000Z' },
      },
    },
  },
};
