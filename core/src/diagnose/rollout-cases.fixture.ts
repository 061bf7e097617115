import assert from 'node:assert/strict';
import { type Raw, recordAt } from '../facts/raw.ts';
import { badRollout, crashed, env, event, limit, node, pod, replicaSet } from './case.fixture.ts';
import type { RuleCases } from './rule-case.fixture.ts';

/** Faults that a rollout brought. */
export const ROLLOUT_CASES: RuleCases = {
  'a rollout whose one changed value the log names is proven': {
    world: badRollout,
    expected: {
      quotes: 'error invalid URL: cannot parse',
      certainty: 'proven',
      cause: { kind: 'rollout-change', symptom: 'crash', revision: 2, previousRevision: 1 },
      check: (cause) =>
        assert.deepEqual(cause.kind === 'rollout-change' && cause.decisive, {
          path: 'spec.template.spec.containers[app].env[URL].value',
          container: 'app',
          from: 'db:5432',
          to: 'db:54e2',
        }),
    },
  },
  'a new value that is an ordinary word in a complaint about something else proves nothing': {
    world: {
      ...badRollout,
      replicaSets: [replicaSet(1, env('FORMAT', 'json'), { ready: 2 }), replicaSet(2, env('FORMAT', 'text'))],
      logs: { 'new-1': 'error: cannot parse text in request' },
    },
    expected: { certainty: 'likely', cause: { kind: 'rollout-change', symptom: 'crash', revision: 2 } },
  },
  'a new value that is an ordinary word is proven where the complaint quotes it': {
    world: {
      ...badRollout,
      replicaSets: [replicaSet(1, env('FORMAT', 'json'), { ready: 2 }), replicaSet(2, env('FORMAT', 'text'))],
      logs: { 'new-1': 'error: unknown log format "text"' },
    },
    expected: { certainty: 'proven', cause: { kind: 'rollout-change', symptom: 'crash', revision: 2 } },
  },
  'a sibling that is ready between two of its crashes does not clear the revision': {
    world: {
      ...badRollout,
      pods: [
        pod('new-1', { revision: 2, ready: false, status: crashed() }),
        pod('new-2', { revision: 2, status: up('11:59:58Z', '11:59:57Z') }),
      ],
      replicaSets: [replicaSet(1, env('URL', 'db:5432')), replicaSet(2, env('URL', 'db:54e2'), { ready: 1 })],
    },
    expected: { certainty: 'likely', cause: { kind: 'rollout-change', symptom: 'crash', revision: 2 } },
  },
  'a sidecar that goes on running says nothing about the container that crashes': {
    world: {
      ...badRollout,
      pods: [
        pod('new-1', { revision: 2, ready: false, status: crashed() }),
        withSidecar(pod('new-2', { revision: 2, status: up('11:59:58Z', '11:59:57Z') })),
      ],
      replicaSets: [replicaSet(1, env('URL', 'db:5432')), replicaSet(2, env('URL', 'db:54e2'), { ready: 1 })],
    },
    expected: { certainty: 'likely', cause: { kind: 'rollout-change', symptom: 'crash', revision: 2 } },
  },
  'a sibling that has outlived the crashes for long clears the revision': {
    world: {
      ...badRollout,
      pods: [
        pod('new-1', { revision: 2, ready: false, status: crashed() }),
        pod('new-2', { revision: 2, status: up('11:58:30Z', '11:58:29Z') }),
      ],
      replicaSets: [replicaSet(1, env('URL', 'db:5432')), replicaSet(2, env('URL', 'db:54e2'), { ready: 1 })],
    },
    expected: { certainty: 'possible', cause: { kind: 'one-bad-replica' }, quotes: 'error invalid URL' },
  },
  'of two changed fields the one that the log names is decisive': {
    world: {
      ...badRollout,
      replicaSets: [
        replicaSet(
          1,
          {
            env: [
              { name: 'URL', value: 'db:5432' },
              { name: 'LEVEL', value: 'info' },
            ],
          },
          { ready: 2 },
        ),
        replicaSet(2, {
          env: [
            { name: 'URL', value: 'db:54e2' },
            { name: 'LEVEL', value: 'debug' },
          ],
        }),
      ],
    },
    expected: { certainty: 'proven', cause: { kind: 'rollout-change', symptom: 'crash' } },
  },
  'two changed fields that no log names are likely, and none is decisive': {
    world: {
      ...badRollout,
      replicaSets: [
        replicaSet(
          1,
          {
            env: [
              { name: 'A', value: 'alpha' },
              { name: 'B', value: 'beta' },
            ],
          },
          { ready: 2 },
        ),
        replicaSet(2, {
          env: [
            { name: 'A', value: 'gamma' },
            { name: 'B', value: 'delta' },
          ],
        }),
      ],
      logs: { 'new-1': 'fatal exiting' },
    },
    expected: {
      certainty: 'likely',
      cause: { kind: 'rollout-change' },
      check: (cause) => assert.equal(cause.kind === 'rollout-change' && cause.decisive, undefined),
    },
  },
  'back to the last revision that works, not to the one before': {
    world: {
      pods: [pod('old-1'), pod('new-1', { revision: 3, ready: false, status: crashed() })],
      replicaSets: [
        replicaSet(1, env('URL', 'good'), { ready: 1 }),
        replicaSet(2, env('URL', 'wrong'), { replicas: 0 }),
        replicaSet(3, env('URL', 'wrong-again')),
      ],
      logs: { 'new-1': 'error invalid URL: wrong-again' },
    },
    expected: { certainty: 'proven', cause: { kind: 'rollout-change', revision: 3, previousRevision: 1 } },
  },
  'a lowered limit is proven although other new pods have not been up as long as the killed one was': {
    world: {
      pods: [
        pod('old-1', { container: limit('256Mi') }),
        pod('new-1', { revision: 2, ready: false, status: crashed(137, 'OOMKilled'), container: limit('96Mi') }),
        pod('new-2', {
          revision: 2,
          container: limit('96Mi'),
          status: { state: { running: { startedAt: '2026-01-01T11:58:05Z' } } },
        }),
      ],
      replicaSets: [replicaSet(1, limit('256Mi'), { ready: 1 }), replicaSet(2, limit('96Mi'))],
    },
    expected: { certainty: 'proven', cause: { kind: 'rollout-change', symptom: 'oom', revision: 2 } },
  },
  'a lowered limit whose old pods are gone is proven by their events': {
    world: {
      pods: [pod('new-1', { revision: 2, ready: false, status: crashed(137, 'OOMKilled'), container: limit('96Mi') })],
      replicaSets: [replicaSet(1, limit('256Mi'), { replicas: 0 }), replicaSet(2, limit('96Mi'))],
      events: [event('Started', 'app-r1-x', 'Started container app', 'Normal')],
    },
    expected: { certainty: 'proven', cause: { kind: 'rollout-change', symptom: 'oom' } },
  },
  'a lowered limit whose old pods had trouble too is only likely': {
    world: {
      pods: [pod('new-1', { revision: 2, ready: false, status: crashed(137, 'OOMKilled'), container: limit('96Mi') })],
      replicaSets: [replicaSet(1, limit('256Mi'), { replicas: 0 }), replicaSet(2, limit('96Mi'))],
      events: [event('BackOff', 'app-r1-x', 'Back-off restarting failed container app in pod app-r1-x')],
    },
    expected: { certainty: 'likely', cause: { kind: 'rollout-change', symptom: 'oom' } },
  },
  'a change of labels alone never explains a crash': {
    world: {
      ...badRollout,
      replicaSets: [replicaSet(1, {}, { ready: 2 }), labelled(replicaSet(2, {}), { tier: 'front' })],
      logs: { 'new-1': "KeyError: 'unknown tier front'" },
    },
    expected: { certainty: 'likely', cause: { kind: 'crash-application', line: "KeyError: 'unknown tier front'" } },
  },
  'one changed field that nothing names is elimination, and so only likely': {
    world: { ...badRollout, logs: { 'new-1': 'fatal exiting' } },
    expected: {
      certainty: 'likely',
      cause: { kind: 'rollout-change' },
      check: (cause) => assert.equal(cause.kind === 'rollout-change' && cause.decisive?.to, 'db:54e2'),
    },
  },
  'a new value in a line that complains of nothing names nothing': {
    world: { ...badRollout, logs: { 'new-1': 'info config URL=db:54e2 LEVEL=info\nfatal exiting' } },
    expected: { certainty: 'likely', cause: { kind: 'rollout-change' } },
  },
  "a new value in a healthy sidecar's log names nothing": {
    world: {
      ...badRollout,
      logs: { 'new-1': 'fatal exiting', 'new-1/proxy': 'error upstream db:54e2 is invalid' },
    },
    expected: { certainty: 'likely', cause: { kind: 'rollout-change' } },
  },
  'a field that the log names without its new value is likely': {
    world: { ...badRollout, logs: { 'new-1': 'error URL is invalid' } },
    expected: { certainty: 'likely', cause: { kind: 'rollout-change' } },
  },
  'a variable that went away is named by the complaint that it is not set': {
    world: {
      ...badRollout,
      replicaSets: [replicaSet(1, env('DB_URL', 'db:5432'), { ready: 2 }), replicaSet(2, {})],
      logs: { 'new-1': 'error DB_URL is not set' },
    },
    expected: { certainty: 'proven', cause: { kind: 'rollout-change' } },
  },
  "a command that the runtime cannot find is named by the container's state": {
    world: {
      pods: [
        pod('old-1'),
        pod('new-1', {
          revision: 2,
          ready: false,
          status: crashed(128, 'StartError', 'exec: "/bin/serve2": stat /bin/serve2: no such file or directory'),
        }),
      ],
      replicaSets: [
        replicaSet(1, { command: ['/bin/serve'] }, { ready: 1 }),
        replicaSet(2, { command: ['/bin/serve2'] }),
      ],
    },
    expected: { quotes: 'exec:', certainty: 'proven', cause: { kind: 'rollout-change', symptom: 'crash' } },
  },
  'a raised limit does not explain a kill at the limit': {
    world: {
      pods: [pod('new-1', { revision: 2, ready: false, status: crashed(137, 'OOMKilled'), container: limit('256Mi') })],
      replicaSets: [replicaSet(1, limit('96Mi'), { ready: 1 }), replicaSet(2, limit('256Mi'))],
    },
    expected: { certainty: 'likely', cause: { kind: 'memory-limit-too-low' } },
  },
  'a raised request that the scheduler names is proven': {
    world: {
      pods: [pod('old-1'), pending('new-1', '0/3 nodes are available: 3 Insufficient memory.')],
      replicaSets: [
        replicaSet(1, { resources: { requests: { memory: '1Gi' } } }, { ready: 1 }),
        replicaSet(2, { resources: { requests: { memory: '64Gi' } } }),
      ],
      nodes: [node('n1', '16Gi')],
    },
    expected: {
      quotes: '0/3 nodes are available',
      certainty: 'proven',
      cause: { kind: 'rollout-change', symptom: 'unschedulable' },
    },
  },
};

function labelled(set: Raw, labels: Raw): Raw {
  const spec = recordAt(set, 'spec');
  const template = recordAt(set, 'spec', 'template');
  return { ...set, spec: { ...spec, template: { ...template, metadata: { labels: { app: 'app', ...labels } } } } };
}

function pending(name: string, message: string): Raw {
  return pod(name, {
    revision: 2,
    ready: false,
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
    status: { state: {} },
  });
}

/** A container that is ready again after a crash. */
function up(startedAt: string, crashedAt: string): Raw {
  const day = '2026-01-01T';
  return {
    restartCount: 3,
    state: { running: { startedAt: `${day}${startedAt}` } },
    lastState: {
      terminated: { exitCode: 1, reason: 'Error', startedAt: `${day}${crashedAt}`, finishedAt: `${day}${crashedAt}` },
    },
  };
}

function withSidecar(of: Raw): Raw {
  const status = recordAt(of, 'status');
  const own = Array.isArray(status?.containerStatuses) ? status.containerStatuses : [];
  const proxy = {
    name: 'proxy',
    ready: true,
    restartCount: 0,
    state: { running: { startedAt: '2026-01-01T11:50:00Z' } },
  };
  return { ...of, status: { ...status, containerStatuses: [...own, proxy] } };
}
