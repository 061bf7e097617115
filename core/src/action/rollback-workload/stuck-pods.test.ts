import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { projectPod } from '../../facts/project-pod.ts';
import { projectWorkload } from '../../facts/project-workload.ts';
import { stuckPods } from './stuck-pods.ts';

function workload(kind: string, spec: Record<string, unknown> = {}, updateRevision = 'new') {
  const metadata = { namespace: 'shop', name: 'db', uid: 'u' };
  return projectWorkload({ kind, metadata, spec, status: { updateRevision } }, kind);
}

function pod(
  name: string,
  how: { revision?: string; ready?: boolean; owner?: string; phase?: string; deleting?: boolean },
) {
  return projectPod({
    metadata: {
      namespace: 'shop',
      name,
      uid: `uid-${name}`,
      labels: { 'controller-revision-hash': how.revision ?? 'new' },
      ownerReferences: [{ kind: 'StatefulSet', name: 'db', uid: how.owner ?? 'u', controller: true }],
      ...(how.deleting === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    status: {
      phase: how.phase ?? 'Running',
      conditions: [{ type: 'Ready', status: how.ready === true ? 'True' : 'False' }],
    },
  });
}

describe('pods that a StatefulSet cannot replace after a rollback', () => {
  const PODS = [pod('db-0', { revision: 'old', ready: true }), pod('db-1', { revision: 'old' }), pod('db-2', {})];

  it('are the unready ones of the broken revision', () => {
    assert.deepEqual(stuckPods(workload('StatefulSet'), PODS), [{ name: 'db-2', uid: 'uid-db-2' }]);
  });

  it('are none that the controller replaces by itself', () => {
    assert.deepEqual(stuckPods(workload('StatefulSet', { podManagementPolicy: 'Parallel' }), PODS), []);
    assert.deepEqual(stuckPods(workload('DaemonSet'), PODS), []);
    const others = [
      pod('ready', { ready: true }),
      pod('leaving', { deleting: true }),
      pod('ended', { phase: 'Failed' }),
      pod('foreign', { owner: 'another' }),
    ];
    assert.deepEqual(stuckPods(workload('StatefulSet'), others), []);
  });
});
