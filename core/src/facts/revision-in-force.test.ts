import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { projectControllerRevision, projectWorkload } from './project-workload.ts';
import { revisionInForce } from './revision-in-force.ts';

function workload(kind: string, status: Record<string, unknown>, annotations: Record<string, string> = {}) {
  return projectWorkload(
    {
      kind,
      metadata: { namespace: 'shop', name: 'db', uid: 'u', generation: 4, annotations },
      spec: { replicas: 3, selector: { matchLabels: { app: 'db' } }, template: {} },
      status: { observedGeneration: 4, ...status },
    },
    kind,
  );
}

function controllerRevision(name: string, revision: number) {
  const projected = projectControllerRevision({
    metadata: { name, namespace: 'shop', uid: name },
    revision,
    data: {
      spec: {
        template: { $patch: 'replace', metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'a' }] } },
      },
    },
  });
  assert.ok(projected !== undefined);
  return projected;
}

const HISTORY = [controllerRevision('db-new', 5), controllerRevision('db-old', 4)];

describe('the revision in force', () => {
  it('is the number that a Deployment carries', () => {
    const deployment = workload('Deployment', {}, { 'deployment.kubernetes.io/revision': '7' });
    assert.deepEqual(revisionInForce(deployment, []), { kind: 'known', revision: 7 });
  });

  it('is the one that a StatefulSet updates to, which is not the one that its ready pods still have', () => {
    const set = workload('StatefulSet', { updateRevision: 'db-new', currentRevision: 'db-old' });
    assert.deepEqual(revisionInForce(set, HISTORY), { kind: 'known', revision: 5 });
  });

  it('is the newest of a DaemonSet', () => {
    assert.deepEqual(revisionInForce(workload('DaemonSet', {}), HISTORY), { kind: 'known', revision: 5 });
  });

  it('is unknown until the controller has observed the template, and without a revision that it names', () => {
    assert.equal(revisionInForce(workload('DaemonSet', { observedGeneration: 3 }), HISTORY).kind, 'unknown');
    assert.equal(revisionInForce(workload('StatefulSet', { updateRevision: 'gone' }), HISTORY).kind, 'unknown');
    assert.equal(revisionInForce(workload('DaemonSet', {}), []).kind, 'unknown');
  });

  it('restores a template without the directive of the stored patch', () => {
    assert.deepEqual(Object.keys(HISTORY[0]?.template ?? {}), ['metadata', 'spec']);
  });
});
