import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AnyActionRequest } from '@hephaisto/core/action/types';
import { assess } from '@hephaisto/verifier/assess';
import type { Measured, WorkloadHealth } from '@hephaisto/verifier/facts';
import { measureWorkload } from '@hephaisto/verifier/probe/measure';
import { FakeCluster } from '../../act/testing/fake-cluster.ts';

function restart(kind: string): AnyActionRequest {
  const workload = { kind, namespace: 'shop', name: 'web' };
  const target = { kind: 'Pod', namespace: 'shop', name: 'web-a', uid: 'uid-web-a' };
  return { type: 'RestartPod', workload, target, params: {} };
}

function bareReplicaSet(readyReplicas: number): FakeCluster {
  const cluster = new FakeCluster();
  cluster.put('replicasets', 'shop', 'web', {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      namespace: 'shop',
      name: 'web',
      uid: 'uid-web',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: {}, spec: { containers: [] } },
    },
    status: { observedGeneration: 1, replicas: 2, readyReplicas, availableReplicas: readyReplicas },
  });
  return cluster;
}

function lastCheck(request: AnyActionRequest, workload: Measured<WorkloadHealth>) {
  return assess(
    {
      request,
      actionId: 'a1',
      inverse: { kind: 'none', why: 'a pod is made again' },
      workload,
      target: { measured: true, value: { kind: 'gone' } },
      alerts: { kind: 'none-known' },
      before: { ready: 1, restarts: {} },
      restartsEarlier: {},
    },
    'came_back',
    3,
  );
}

describe('the health of the controller of an action', () => {
  it('is measured of a bare ReplicaSet: all pods ready pass, and a pod that is not ready fails', async () => {
    const request = restart('ReplicaSet');
    const well = await measureWorkload(bareReplicaSet(2), request);
    assert.equal(lastCheck(request, well).result, 'Passed');
    const sick = await measureWorkload(bareReplicaSet(1), request);
    assert.equal(lastCheck(request, sick).result, 'Failed');
  });

  for (const kind of ['CronJob', 'Job', 'Pod', 'Rollout'])
    it(`is inconclusive of a ${kind}, and the reason names the kind`, async () => {
      const request = restart(kind);
      const found = lastCheck(request, await measureWorkload(new FakeCluster(), request));
      assert.equal(found.result, 'Inconclusive');
      assert.match(found.message, new RegExp(kind, 'i'));
    });
});
