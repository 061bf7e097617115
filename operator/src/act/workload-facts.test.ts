import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AnyActionRequest } from '@hephaisto/core/action/types';
import type { ObjectRef } from '@hephaisto/core/facts/facts';
import { gatherClusterFacts } from './cluster-facts.ts';
import { FakeCluster } from './testing/fake-cluster.ts';
import { readWorkload } from './workload-facts.ts';

const NOW = new Date('2026-01-01T01:00:00Z');
const PROTECTED = { 'hephaisto.io/protected': 'true' };

function put(cluster: FakeCluster, resource: string, name: string, object: Record<string, unknown>, meta = {}): void {
  cluster.put(resource, 'shop', name, {
    metadata: { namespace: 'shop', name, uid: `uid-${name}`, ...meta },
    ...object,
  });
}

function putPod(cluster: FakeCluster, name: string, labels: Record<string, string>, ready: boolean, phase = 'Running') {
  const status = { phase, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] };
  put(cluster, 'pods', name, { spec: {}, status }, { labels, creationTimestamp: '2026-01-01T00:59:00Z' });
}

function putJob(cluster: FakeCluster, name: string, meta = {}): void {
  put(cluster, 'jobs', name, { spec: { parallelism: 3, selector: { matchLabels: { job: name } } }, status: {} }, meta);
  putPod(cluster, `${name}-a`, { job: name }, true);
  putPod(cluster, `${name}-b`, { job: name }, false);
  putPod(cluster, `${name}-c`, { job: name }, false, 'Failed');
}

const ref = (kind: string, name: string): ObjectRef => ({ kind, namespace: 'shop', name });

function deleteJob(workload: ObjectRef): AnyActionRequest {
  return { type: 'DeleteStuckJob', workload, target: { ...ref('Job', 'nightly-1'), uid: 'uid-nightly-1' }, params: {} };
}

function restartPod(workload: ObjectRef, name: string): AnyActionRequest {
  return { type: 'RestartPod', workload, target: { ...ref('Pod', name), uid: `uid-${name}` }, params: {} };
}

describe('reading the controller of an action', () => {
  it('a schedule says what its own object carries and how many pods of its running jobs are ready', async () => {
    const cluster = new FakeCluster();
    const active = [{ kind: 'Job', name: 'nightly-1' }];
    put(cluster, 'cronjobs', 'nightly', { spec: {}, status: { active } }, { labels: PROTECTED });
    putJob(cluster, 'nightly-1');
    const { state } = await readWorkload(cluster, ref('CronJob', 'nightly'));
    assert.deepEqual(state, {
      known: true,
      value: { labels: PROTECTED, annotations: {}, replicas: 3, ready: 1, rolloutInFlight: false },
    });
  });

  it('a protection mark on a schedule is seen by the gates of its job', async () => {
    const cluster = new FakeCluster();
    put(cluster, 'cronjobs', 'nightly', { spec: {}, status: {} }, { labels: PROTECTED });
    putJob(cluster, 'nightly-1');
    const { policy } = await gatherClusterFacts(cluster, deleteJob(ref('CronJob', 'nightly')), NOW);
    assert.deepEqual(policy.workload.known && policy.workload.value.labels, PROTECTED);
  });

  it('the pods of a job are as young as they are, and one that has ended is not young', async () => {
    const cluster = new FakeCluster();
    putJob(cluster, 'nightly-1');
    const { policy } = await gatherClusterFacts(cluster, deleteJob(ref('Job', 'nightly-1')), NOW);
    assert.deepEqual(policy.youngestPodSeconds, { known: true, value: 60 });
    for (const name of ['a', 'b']) cluster.remove('pods', `nightly-1-${name}`);
    const ended = await gatherClusterFacts(cluster, deleteJob(ref('Job', 'nightly-1')), NOW);
    assert.deepEqual(ended.policy.youngestPodSeconds, { known: true, value: undefined });
  });

  it('a bare ReplicaSet is read with its marks, its readiness and its generation', async () => {
    const cluster = new FakeCluster();
    const spec = { replicas: 2, selector: { matchLabels: { set: 'bare' } } };
    const meta = { generation: 4, annotations: { 'hephaisto.io/ignore': 'true' } };
    for (const [observedGeneration, rolloutInFlight] of [
      [4, false],
      [3, true],
    ] as const) {
      put(
        cluster,
        'replicasets',
        'bare',
        { spec, status: { replicas: 2, readyReplicas: 1, observedGeneration } },
        meta,
      );
      const { state } = await readWorkload(cluster, ref('ReplicaSet', 'bare'));
      const expected = { labels: {}, annotations: meta.annotations, replicas: 2, ready: 1, rolloutInFlight };
      assert.deepEqual(state, { known: true, value: expected });
    }
  });

  it('a pod that serves is known to serve, whatever controls it', async () => {
    const cluster = new FakeCluster();
    put(cluster, 'replicasets', 'bare', { spec: { selector: { matchLabels: { set: 'other' } } }, status: {} });
    putPod(cluster, 'bare-a', { set: 'bare' }, true);
    const { policy } = await gatherClusterFacts(cluster, restartPod(ref('ReplicaSet', 'bare'), 'bare-a'), NOW);
    assert.equal(policy.target.known && policy.target.value.ready, true);
    assert.deepEqual(policy.youngestPodSeconds, { known: true, value: 60 });
  });

  it('what cannot be read is unknown: a controller that is gone, a kind that is not ours, a pod without controller', async () => {
    const cluster = new FakeCluster();
    for (const workload of [
      ref('CronJob', 'gone'),
      ref('ReplicaSet', 'gone'),
      ref('Job', 'gone'),
      ref('Rollout', 'checkout'),
      ref('Pod', 'checkout-a'),
      ref('Node', 'n1'),
    ]) {
      const { state, pods } = await readWorkload(cluster, workload);
      assert.deepEqual([state.known, pods.known], [false, false], workload.kind);
    }
  });

  it('a schedule whose running jobs cannot be read is unknown, and so is one with very many', async () => {
    const cluster = new FakeCluster();
    const active = Array.from({ length: 11 }, (_, n) => ({ kind: 'Job', name: `nightly-${n}` }));
    put(cluster, 'cronjobs', 'nightly', { spec: {}, status: { active } });
    assert.equal((await readWorkload(cluster, ref('CronJob', 'nightly'))).state.known, false);
    put(cluster, 'cronjobs', 'nightly', { spec: {}, status: { active: active.slice(0, 1) } });
    put(cluster, 'jobs', 'nightly-0', { spec: {}, status: {} });
    assert.equal((await readWorkload(cluster, ref('CronJob', 'nightly'))).state.known, false);
  });
});
