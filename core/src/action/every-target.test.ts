import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { verifies } from '@hephaisto/test/verifies';
import { ACTION_KINDS, planWrite } from './catalogue.ts';
import { rightOf, writeRules } from './rbac.ts';
import { ACTION_TYPES, type AnyActionRequest } from './types.ts';
import { TARGET_RESOURCES } from './workload-resource.ts';

const STAMPS = {
  actionId: 'act-1',
  incidentId: 'inc-1',
  approvedBy: 'person:ada',
  at: new Date('2026-01-02T03:04:05Z'),
};

const PARAMS = {
  RollbackWorkload: { fromRevision: 3, toRevision: 2 },
  RestartPod: {},
  RolloutRestart: {},
  ScaleWorkload: { fromReplicas: 4, toReplicas: 6 },
  PatchResources: { container: 'app', memoryLimitBytes: 256 * 2 ** 20 },
  DeleteStuckJob: {},
} as const satisfies Readonly<Record<(typeof ACTION_TYPES)[number], object>>;

function template(image: string) {
  return { spec: { containers: [{ name: 'app', image, resources: { limits: { memory: '128Mi' } } }] } };
}

function workload(kind: string) {
  return {
    apiVersion: kind === 'Job' ? 'batch/v1' : kind === 'Pod' ? 'v1' : 'apps/v1',
    kind,
    metadata: {
      namespace: 'shop',
      name: 'it',
      uid: 'uid-1',
      resourceVersion: '7',
      ...(kind === 'Pod' ? { ownerReferences: [{ controller: true }] } : {}),
    },
    spec: { ...(kind === 'DaemonSet' ? {} : { replicas: 4 }), template: template('app:2') },
  };
}

describe('each kind of action, on each kind of object that it names', () => {
  for (const type of ACTION_TYPES)
    for (const kind of ACTION_KINDS[type].targets)
      it(`${type} of a ${kind} is one call that its Role allows`, () => {
        verifies('H3-13');
        const owner = { kind: kind === 'Pod' ? 'StatefulSet' : kind, namespace: 'shop', name: 'it' };
        const target = { kind, namespace: 'shop', name: 'it', uid: 'uid-1' };
        // The pairing of type and parameters is what the table above keeps.
        const request = { type, workload: owner, target, params: PARAMS[type] } as AnyActionRequest;
        const planned = planWrite(
          request,
          {
            object: workload(kind),
            workload: workload(owner.kind),
            revision: { current: 3, restore: { revision: 2, template: template('app:1') } },
          },
          STAMPS,
        );
        assert.ok(planned.kind === 'write', planned.kind === 'impossible' ? planned.message : '');
        const { write } = planned;
        assert.equal(write.resource.split('/')[0], TARGET_RESOURCES[kind]?.resource);
        const { resource, verb } = rightOf(write);
        assert.ok(
          writeRules([type]).some((rule) => rule.resources.includes(resource) && rule.verbs.includes(verb)),
          `${verb} ${resource}`,
        );
      });
});
