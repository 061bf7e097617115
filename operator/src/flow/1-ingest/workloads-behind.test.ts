import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pod } from '@hephaisto/core/diagnose/case.fixture';
import { projectPod } from '@hephaisto/core/facts/project-pod';
import type { Raw } from '@hephaisto/core/facts/raw';
import type { KubeFailure } from '@hephaisto/core/ports/kube';
import { createFindWorkloadsBehind, resolveObjectOwners } from './workloads-behind.ts';

const MISSING: KubeFailure = { kind: 'failure', reason: 'not-found', status: 404, message: 'not found' };
const AWAY: KubeFailure = { kind: 'failure', reason: 'unsent', message: 'connection refused' };

const owned = (deployment: string) => ({
  labels: { app: deployment, 'pod-template-hash': 'h1' },
  owner: { kind: 'ReplicaSet', name: `${deployment}-h1`, uid: `${deployment}-h1`, controller: true },
});
const claim = [{ name: 'data', persistentVolumeClaim: { claimName: 'orders' } }];
const PODS = [
  pod('a-1', owned('a')),
  pod('b-1', { ...owned('b'), ready: false, volumes: claim }),
  pod('backup-1', {
    owner: { kind: 'Job', name: 'backup', uid: 'backup', controller: true },
    labels: { app: 'backup' },
    ready: false,
    phase: 'Succeeded',
    volumes: claim,
  }),
].map(projectPod);

const OBJECTS: Readonly<Record<string, Raw>> = {
  'services a': { spec: { selector: { app: 'a' } } },
  'services both': { spec: { selector: { tier: 'web' } } },
  'services elsewhere': { spec: {} },
  'services b': { spec: { selector: { app: 'b' } } },
  'ingresses shop': {
    spec: {
      defaultBackend: { service: { name: 'a' } },
      rules: [{ http: { paths: [{ backend: { service: { name: 'b' } } }, { backend: { resource: {} } }] } }],
    },
  },
  'horizontalpodautoscalers a': { spec: { scaleTargetRef: { kind: 'Deployment', name: 'a' } } },
  'persistentvolumeclaims orders': {},
};

const TIMES = { nowMs: () => 0, restMs: 10_000 };

const READER: Parameters<typeof createFindWorkloadsBehind>[0] = {
  object: async (_version, resource, _namespace, name) => {
    const value = OBJECTS[`${resource} ${name}`];
    return value === undefined ? MISSING : { kind: 'ok', value };
  },
  pods: async (_namespace, selector = {}) => ({
    kind: 'ok',
    value: PODS.filter(({ labels }) => selector.app === undefined || labels.app === selector.app),
  }),
};
const find = createFindWorkloadsBehind(READER, TIMES);

const CASES: Readonly<Record<string, [kind: string, name: string, expected: string]>> = {
  'a Service with one workload': ['Service', 'a', 'Deployment/a'],
  'a Service with several: the one that is not ready first': ['Service', 'both', 'Deployment/b Deployment/a'],
  'a Service without a selector': ['Service', 'elsewhere', ''],
  'a Service that does not exist': ['Service', 'ghost', 'gone'],
  'an Ingress: the workloads of its Services': ['Ingress', 'shop', 'Deployment/a Deployment/b'],
  'an autoscaler: its target': ['HorizontalPodAutoscaler', 'a', 'Deployment/a'],
  'a claim: the workloads that mount it': ['PersistentVolumeClaim', 'orders', 'Deployment/b'],
  'a claim that does not exist': ['PersistentVolumeClaim', 'ghost', 'gone'],
};

describe('the workloads behind an object that an alert names', () => {
  for (const [title, [kind, name, expected]] of Object.entries(CASES)) {
    it(title, async () => {
      const behind = await find('shop', { kind, name });
      const words =
        behind.kind === 'found' ? behind.workloads.map((each) => `${each.kind}/${each.name}`) : [behind.kind];
      assert.equal(words.join(' '), expected);
    });
  }

  it('bodies of one alert each list a namespace once', async () => {
    let lists = 0;
    const counted = createFindWorkloadsBehind(
      {
        object: async () => ({ kind: 'ok', value: {} }),
        pods: async () => {
          lists += 1;
          return { kind: 'ok', value: PODS };
        },
      },
      TIMES,
    );
    for (const name of ['orders', 'ghost', 'orders']) await counted('shop', { kind: 'PersistentVolumeClaim', name });
    assert.equal(lists, 1);
  });

  it('a kind that must not be read leaves the others to be asked', async () => {
    const refusing = createFindWorkloadsBehind(
      {
        ...READER,
        object: async (version, resource, namespace, name) =>
          resource === 'ingresses'
            ? { kind: 'failure', reason: 'forbidden', status: 403, message: 'no' }
            : READER.object(version, resource, namespace, name),
      },
      TIMES,
    );
    const cluster = { id: 'c', local: true };
    const named = (kind: string, name: string) => ({ cluster, namespace: 'shop', object: { kind, name } });
    const owners = await resolveObjectOwners(refusing, [named('Ingress', 'shop'), named('Service', 'a')]);
    assert.deepEqual(
      [...owners.values()].map(({ owner }) => owner.name),
      ['a'],
    );
  });

  it('an API server that does not answer is not asked again for a while, by other bodies neither', async () => {
    let asked = 0;
    let now = 0;
    const away = createFindWorkloadsBehind(
      {
        object: async () => {
          asked += 1;
          return AWAY;
        },
        pods: async () => AWAY,
      },
      { nowMs: () => now, restMs: 10_000 },
    );
    const cluster = { id: 'c', local: true };
    const objects = ['a', 'b', 'c'].map((name) => ({ cluster, namespace: 'shop', object: { kind: 'Service', name } }));
    assert.equal((await resolveObjectOwners(away, objects)).size, 0);
    await resolveObjectOwners(away, objects.slice(1));
    assert.equal(asked, 1);
    now += 10_000;
    await resolveObjectOwners(away, objects);
    assert.equal(asked, 2);
  });
});
