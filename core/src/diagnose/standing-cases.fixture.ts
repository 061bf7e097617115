import assert from 'node:assert/strict';
import { crashed, event, limit, NOW, node, pod, SUBJECT, waiting } from './case.fixture.ts';
import type { RuleCases } from './rule-case.fixture.ts';

/** Faults that no rollout brought. */
export const STANDING_CASES: RuleCases = {
  'killed at a limit that no rollout changed': {
    world: { pods: [pod('a', { ready: false, status: crashed(137, 'OOMKilled'), container: limit('64Mi') })] },
    expected: {
      certainty: 'likely',
      cause: { kind: 'memory-limit-too-low', container: 'app', limitBytes: 64 * 2 ** 20 },
    },
  },
  'killed at a limit with the need stated in the log': {
    world: {
      pods: [pod('a', { ready: false, status: crashed(137, 'OOMKilled'), container: limit('64Mi') })],
      logs: { a: 'info working set is 96Mi' },
    },
    expected: {
      quotes: 'info working set is 96Mi',
      certainty: 'likely',
      cause: { kind: 'memory-limit-too-low', neededBytes: 96 * 2 ** 20 },
    },
  },
  'a need beyond belief is not believed': {
    world: {
      pods: [pod('a', { ready: false, status: crashed(137, 'OOMKilled'), container: limit('64Mi') })],
      logs: { a: 'info working set is 900Gi' },
    },
    expected: {
      certainty: 'likely',
      cause: { kind: 'memory-limit-too-low' },
      check: (cause) => assert.equal(cause.kind === 'memory-limit-too-low' && cause.neededBytes, undefined),
    },
  },
  'a missing image in the first revision': {
    world: {
      pods: [pod('a', { ready: false, status: waiting('ImagePullBackOff'), container: { image: 'r.example/app:9' } })],
      events: [
        event(
          'Failed',
          'a',
          'Failed to pull image "r.example/app:9": rpc error: code = NotFound desc = r.example/app:9: not found',
        ),
      ],
    },
    expected: {
      quotes: 'Failed to pull image',
      certainty: 'proven',
      cause: { kind: 'image-missing', image: 'r.example/app:9' },
    },
  },
  'an image that a registry refuses is not said to be missing': {
    world: {
      pods: [pod('a', { ready: false, status: waiting('ImagePullBackOff'), container: { image: 'r.example/app:9' } })],
      events: [event('Failed', 'a', 'Failed to pull image "r.example/app:9": 401 Unauthorized')],
    },
    expected: { quotes: 'Failed to pull image', certainty: 'likely', cause: { kind: 'image-missing' } },
  },
  'a request larger than every node names both': {
    world: {
      pods: [
        pod('a', {
          ready: false,
          phase: 'Pending',
          container: { resources: { requests: { memory: '64Gi' } } },
          conditions: [
            {
              type: 'PodScheduled',
              status: 'False',
              reason: 'Unschedulable',
              message: '0/2 nodes are available: 2 Insufficient memory.',
            },
          ],
          status: { state: {} },
        }),
      ],
      nodes: [node('n1', '16Gi'), node('n2', '32Gi')],
    },
    expected: {
      quotes: '0/2 nodes are available',
      certainty: 'proven',
      cause: {
        kind: 'unschedulable',
        resource: 'memory',
        requested: 64 * 2 ** 30,
        largestNode: { name: 'n2', allocatable: 32 * 2 ** 30 },
      },
    },
  },
  'a request that an empty node would take is likely something else': {
    world: {
      pods: [
        pod('a', {
          ready: false,
          phase: 'Pending',
          container: { resources: { requests: { memory: '1Gi' } } },
          conditions: [
            {
              type: 'PodScheduled',
              status: 'False',
              reason: 'Unschedulable',
              message: '0/1 nodes are available: 1 node(s) had untolerated taint.',
            },
          ],
          status: { state: {} },
        }),
      ],
      nodes: [node('n1', '16Gi')],
    },
    expected: {
      quotes: '0/1 nodes are available',
      certainty: 'likely',
      cause: { kind: 'unschedulable', resource: 'other' },
    },
  },
  'a key that a Secret lacks, read from the event': {
    world: {
      pods: [
        pod('a', {
          ready: false,
          status: waiting('CreateContainerConfigError', "couldn't find key k in Secret shop/keys"),
        }),
      ],
      events: [event('Failed', 'a', "Error: couldn't find key k in Secret shop/keys")],
    },
    expected: {
      quotes: "Error: couldn't find key k",
      certainty: 'proven',
      cause: { kind: 'config-missing', source: 'Secret', name: 'keys', key: 'k' },
    },
  },
  'a ConfigMap that does not exist': {
    world: {
      pods: [
        pod('a', { ready: false, status: waiting('CreateContainerConfigError', 'configmap "settings" not found') }),
      ],
      events: [event('Failed', 'a', 'Error: configmap "settings" not found')],
    },
    expected: {
      quotes: 'Error: configmap ',
      certainty: 'proven',
      cause: { kind: 'config-missing', source: 'ConfigMap', name: 'settings' },
    },
  },
  'one bad pod whose log names a stale lock in its own volume': {
    world: {
      pods: [pod('a'), pod('b'), pod('c', { ready: false, status: crashed(), volumes: [{ name: 'v', emptyDir: {} }] })],
      logs: { c: 'fatal cannot acquire lock /data/x.lock: stale lock held by pid 1' },
    },
    expected: { quotes: 'fatal cannot acquire lock', certainty: 'likely', cause: { kind: 'stale-local-state' } },
  },
  'one bad pod whose lock is on storage that outlives it is not healed by a new pod': {
    world: {
      pods: [
        pod('a'),
        pod('c', {
          ready: false,
          status: crashed(),
          volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'x' } }],
        }),
      ],
      logs: { c: 'fatal cannot acquire lock /data/x.lock: stale lock held by pid 1' },
    },
    expected: {
      certainty: 'likely',
      cause: {
        kind: 'crash-application',
        line: 'fatal cannot acquire lock /data/x.lock: stale lock held by pid 1',
      },
    },
  },
  'one bad pod that only complains stays one bad pod, with its words': {
    world: {
      pods: [pod('a'), pod('c', { ready: false, status: crashed() })],
      logs: { c: 'error generation 7 of the index does not belong to this writer, giving up' },
    },
    expected: {
      certainty: 'possible',
      cause: { kind: 'one-bad-replica' },
      quotes: 'error generation 7 of the index',
    },
  },
  'one bad pod that says nothing': {
    world: {
      pods: [pod('a'), pod('c', { ready: false, status: crashed(), volumes: [{ name: 'v', emptyDir: {} }] })],
      logs: { c: 'info starting the process' },
    },
    expected: { certainty: 'possible', cause: { kind: 'one-bad-replica' } },
  },
  'a caller whose callee has no ready endpoint': {
    world: {
      pods: [pod('a', { ready: false, status: crashed() }), pod('b', { ready: false, status: crashed() })],
      services: [
        { name: 'db', ready: 0, selector: { app: 'db' } },
        { name: 'app', ready: 0, selector: { app: 'app' } },
      ],
      others: {
        db: [
          pod('db-1', {
            ready: false,
            status: crashed(134),
            labels: { app: 'db', 'pod-template-hash': 'h1' },
            owner: { kind: 'ReplicaSet', name: 'db-h1', uid: 'x', controller: true },
          }),
        ],
      },
      logs: {
        a: 'error dial db.shop.svc:5432: connection refused',
        b: 'error dial db.shop.svc:5432: connection refused',
      },
    },
    expected: {
      quotes: 'error dial db.shop.svc',
      certainty: 'likely',
      cause: { kind: 'upstream', backend: { kind: 'Deployment', namespace: 'shop', name: 'db' } },
    },
  },
  'a Service whose name is only part of a word is not named': {
    world: {
      pods: [pod('a', { ready: false, status: crashed() })],
      services: [{ name: 'db', ready: 0, selector: { app: 'db' } }],
      logs: { a: 'error the db-migrate step failed' },
    },
    expected: { certainty: 'likely', cause: { kind: 'crash-application' } },
  },
  'a caller whose callee selects no pod at all': {
    world: {
      pods: [pod('a', { ready: false, status: crashed() }), pod('b', { ready: false, status: crashed() })],
      services: [{ name: 'db', ready: 0, selector: { app: 'db-renamed' } }],
      logs: { a: 'error dial db:5432: connection refused', b: 'error dial db:5432: connection refused' },
    },
    expected: { quotes: 'app=db-renamed', certainty: 'likely', cause: { kind: 'upstream' } },
  },
  'a Service whose selector matches no pod': {
    subject: {
      ...SUBJECT,
      kind: 'HighErrorRate',
      owner: { kind: 'Service', name: 'web' },
      ownerChain: ['Service/web'],
    },
    world: { pods: [], services: [{ name: 'web', ready: 0, selector: { app: 'wbe', tier: 'front' } }] },
    expected: {
      quotes: 'app=wbe,tier=front',
      certainty: 'likely',
      cause: { kind: 'unmatched-selector', selector: 'app=wbe,tier=front' },
    },
  },
  'several unready pods quote their readiness probe': {
    world: {
      pods: [pod('a', { ready: false }), pod('b', { ready: false }), pod('c')],
      events: [
        event('Unhealthy', 'a', 'Readiness probe failed: HTTP probe failed with statuscode: 503'),
        event('Unhealthy', 'b', 'Readiness probe failed: HTTP probe failed with statuscode: 503'),
      ],
    },
    expected: {
      quotes: 'Readiness probe failed: HTTP probe failed with statuscode: 503',
      certainty: 'likely',
      cause: { kind: 'pods-not-ready', container: 'app' },
    },
  },
  'the only pod of a workload is unready and nothing says why': {
    world: { pods: [pod('a', { ready: false })] },
    expected: { certainty: 'possible', cause: { kind: 'pods-not-ready' } },
  },
  'a database on damaged data': {
    world: {
      pods: [pod('a', { ready: false, status: crashed(134) })],
      logs: { a: 'LOG starting\nPANIC: invalid page checksum, data is corrupted' },
    },
    expected: {
      quotes: 'PANIC: invalid page checksum',
      certainty: 'likely',
      cause: { kind: 'crash-application', line: 'PANIC: invalid page checksum, data is corrupted' },
    },
  },
  'a crash without a word': {
    world: { pods: [pod('a', { ready: false, status: crashed() })], logs: { a: '' } },
    expected: { certainty: 'possible', cause: { kind: 'crash-application' } },
  },
  'a job that gave up': {
    subject: { ...SUBJECT, kind: 'JobFailed', owner: { kind: 'Job', name: 'report' } },
    world: {
      pods: [
        pod('report-1', {
          ready: false,
          phase: 'Failed',
          status: { state: { terminated: { exitCode: 2, reason: 'Error' } } },
        }),
      ],
      logs: { 'report-1': 'error: input file is missing' },
      job: {
        metadata: { name: 'report', namespace: 'shop', uid: 'j' },
        spec: { backoffLimit: 2 },
        status: {
          failed: 3,
          conditions: [
            {
              type: 'Failed',
              status: 'True',
              reason: 'BackoffLimitExceeded',
              message: 'Job has reached the specified backoff limit',
            },
          ],
        },
      },
    },
    expected: {
      quotes: 'error: input file is missing',
      certainty: 'likely',
      cause: { kind: 'job-failed', detail: 'BackoffLimitExceeded' },
    },
  },
  'a job of a CronJob that cannot start for an hour': {
    subject: {
      ...SUBJECT,
      kind: 'JobFailed',
      owner: { kind: 'CronJob', name: 'nightly' },
      ownerChain: ['Pod/x', 'Job/nightly-1', 'CronJob/nightly'],
    },
    world: {
      pods: [pod('nightly-1-x', { ready: false, phase: 'Pending', status: waiting('ImagePullBackOff') })],
      job: {
        metadata: {
          name: 'nightly-1',
          namespace: 'shop',
          uid: 'j',
          creationTimestamp: new Date(NOW.getTime() - 3_600_000).toISOString(),
          ownerReferences: [{ kind: 'CronJob', name: 'nightly', uid: 'cj', controller: true }],
        },
        status: { active: 1 },
      },
      events: [],
    },
    expected: { certainty: 'likely', cause: { kind: 'job-failed', detail: 'stuck' } },
  },
  'a node under pressure': {
    subject: { ...SUBJECT, kind: 'NodePressure', owner: { kind: 'Node', name: 'n1' }, nodeName: 'n1', ownerChain: [] },
    world: {
      pods: [],
      nodes: [
        {
          metadata: { name: 'n1' },
          status: {
            conditions: [
              { type: 'Ready', status: 'True' },
              { type: 'DiskPressure', status: 'True', message: 'kubelet has disk pressure' },
            ],
          },
        },
      ],
    },
    expected: {
      quotes: 'kubelet has disk pressure',
      certainty: 'proven',
      cause: { kind: 'node-pressure', node: 'n1', condition: 'DiskPressure' },
    },
  },
  'an out-of-memory kill of another container days ago raises no limit': {
    world: {
      pods: [
        pod('a', {
          ready: false,
          status: crashed(1),
          sidecar: {
            container: { name: 'proxy', ...limit('32Mi') },
            status: {
              name: 'proxy',
              ready: true,
              restartCount: 1,
              state: { running: { startedAt: '2025-12-29T12:00:00Z' } },
              lastState: { terminated: { exitCode: 137, reason: 'OOMKilled', finishedAt: '2025-12-29T12:00:00Z' } },
            },
          },
        }),
      ],
      logs: { a: 'json.decoder.JSONDecodeError: Expecting value' },
    },
    expected: {
      certainty: 'likely',
      cause: { kind: 'crash-application', container: 'app' },
      quotes: 'json.decoder.JSONDecodeError: Expecting value',
    },
  },
  'one sick pod among ready ones says its last words': {
    world: {
      pods: [pod('a'), pod('b'), pod('c', { ready: false, status: crashed() })],
      logs: { c: 'Exception in thread "main" java.lang.NumberFormatException: For input string: "x"' },
    },
    expected: {
      certainty: 'likely',
      cause: { kind: 'crash-application' },
      quotes: 'Exception in thread "main" java.lang.NumberFormatException',
    },
  },
};
