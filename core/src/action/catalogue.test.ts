import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { verifies } from '@hephaisto/test/verifies';
import {
  ACTION_KINDS,
  byHandCommands,
  describeAction,
  parseAction,
  planInverse,
  planWrite,
  readBack,
  specFields,
} from './catalogue.ts';
import type { FreshTarget } from './kind.ts';
import { undoWrite } from './patch.ts';
import { type RawObject, recordAt } from './raw-object.ts';
import { rightOf, writeRules } from './rbac.ts';
import { specDiff } from './spec-diff.ts';
import { ACTION_TYPES, type AnyActionRequest, type JsonPatchOperation, type KubeWrite } from './types.ts';

const STAMPS = {
  actionId: 'act-1',
  incidentId: 'inc-1',
  approvedBy: 'person:ada',
  at: new Date('2026-01-02T03:04:05Z'),
};

function deployment(
  overrides: { image?: string; replicas?: number; annotations?: Record<string, string> } = {},
): RawObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      namespace: 'shop',
      name: 'checkout',
      uid: 'uid-1',
      resourceVersion: '77',
      annotations: { 'deployment.kubernetes.io/revision': '3', ...overrides.annotations },
    },
    spec: {
      replicas: overrides.replicas ?? 4,
      selector: { matchLabels: { app: 'checkout' } },
      template: template(overrides.image ?? 'app:2'),
    },
  };
}

function template(image: string): RawObject {
  return {
    metadata: { labels: { app: 'checkout' } },
    spec: { containers: [{ name: 'app', image, resources: { limits: { memory: '128Mi', cpu: '1' } } }] },
  };
}

const POD: RawObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    namespace: 'shop',
    name: 'checkout-a',
    uid: 'pod-1',
    resourceVersion: '5',
    ownerReferences: [{ controller: true }],
  },
  spec: { containers: [{ name: 'app' }] },
};
const JOB: RawObject = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { namespace: 'shop', name: 'nightly', uid: 'job-1', resourceVersion: '6' },
  spec: { template: {} },
};

const WORKLOAD = { kind: 'Deployment', namespace: 'shop', name: 'checkout' };
const DEPLOYMENT_TARGET = { ...WORKLOAD, uid: 'uid-1' };
const FRESH: FreshTarget = {
  object: deployment(),
  revision: { current: 3, restore: { revision: 2, template: template('app:1') } },
};

const CASES: {
  readonly [T in (typeof ACTION_TYPES)[number]]: { request: AnyActionRequest & { type: T }; fresh: FreshTarget };
} = {
  RollbackWorkload: {
    request: {
      type: 'RollbackWorkload',
      workload: WORKLOAD,
      target: DEPLOYMENT_TARGET,
      params: { fromRevision: 3, toRevision: 2 },
    },
    fresh: FRESH,
  },
  RestartPod: {
    request: {
      type: 'RestartPod',
      workload: WORKLOAD,
      target: { kind: 'Pod', namespace: 'shop', name: 'checkout-a', uid: 'pod-1' },
      params: {},
    },
    fresh: { object: POD, workload: deployment() },
  },
  RolloutRestart: {
    request: { type: 'RolloutRestart', workload: WORKLOAD, target: DEPLOYMENT_TARGET, params: {} },
    fresh: FRESH,
  },
  ScaleWorkload: {
    request: {
      type: 'ScaleWorkload',
      workload: WORKLOAD,
      target: DEPLOYMENT_TARGET,
      params: { fromReplicas: 4, toReplicas: 6 },
    },
    fresh: FRESH,
  },
  PatchResources: {
    request: {
      type: 'PatchResources',
      workload: WORKLOAD,
      target: DEPLOYMENT_TARGET,
      params: { container: 'app', memoryLimitBytes: 256 * 2 ** 20 },
    },
    fresh: FRESH,
  },
  DeleteStuckJob: {
    request: {
      type: 'DeleteStuckJob',
      workload: { kind: 'Job', namespace: 'shop', name: 'nightly' },
      target: { kind: 'Job', namespace: 'shop', name: 'nightly', uid: 'job-1' },
      params: {},
    },
    fresh: { object: JOB },
  },
};

function writeOf(type: (typeof ACTION_TYPES)[number], fresh = CASES[type].fresh): KubeWrite {
  const planned = planWrite(CASES[type].request, fresh, STAMPS);
  assert.equal(planned.kind, 'write', planned.kind === 'impossible' ? planned.message : '');
  return planned.write;
}

/** Applies a patch of tests, replacements, additions and removals as a server would; throws where a test fails. */
function applied(object: RawObject, patch: readonly JsonPatchOperation[]): RawObject {
  const copy = structuredClone(object) as Record<string, unknown>;
  for (const operation of patch) {
    const parts = operation.path
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = parts.pop() ?? '';
    let parent = copy;
    for (const part of parts) parent = parent[part] as Record<string, unknown>;
    if (operation.op === 'test') assert.deepEqual(parent[last], operation.value, `test of ${operation.path}`);
    else if (operation.op === 'remove') delete parent[last];
    else parent[last] = structuredClone(operation.value);
  }
  return copy;
}

describe('action catalogue', () => {
  it('makes exactly one call a kind, which its own Role grants and no other verb', () => {
    verifies('H3-13', 'H3-14', 'H3-79');
    for (const type of ACTION_TYPES) {
      const write = writeOf(type);
      const { resource, verb } = rightOf(write);
      const granted = writeRules([type]).some((rule) => rule.resources.includes(resource) && rule.verbs.includes(verb));
      assert.ok(granted, `${type}: ${verb} ${resource}`);
      const verbs = new Set(writeRules([type]).flatMap((rule) => rule.verbs));
      const removal = type === 'RollbackWorkload' ? ['delete'] : [];
      assert.deepEqual([...verbs].sort(), [...new Set([verb, 'create', ...removal])].sort(), type);
    }
  });

  it('refuses a type that is not in the catalogue and params with anything beside the typed values', () => {
    verifies('H3-13', 'H3-15');
    const { workload, target } = CASES.ScaleWorkload.request;
    const refusals = [
      parseAction('RunShell', { workload, target }, {}),
      parseAction('CordonNode', { workload, target }, {}),
      parseAction('ScaleWorkload', { workload, target }, { fromReplicas: 4, toReplicas: 6, namespace: 'kube-system' }),
      parseAction('ScaleWorkload', { workload, target }, { fromReplicas: 4, toReplicas: 0 }),
      parseAction('RestartPod', { workload, target }, {}),
      parseAction('RollbackWorkload', { workload, target }, { fromRevision: 2, toRevision: 3 }),
      parseAction(
        'PatchResources',
        { workload, target },
        { container: 'app', patch: [{ op: 'remove', path: '/spec' }] },
      ),
    ];
    assert.deepEqual(
      refusals.map((refusal) => (refusal.kind === 'refused' ? refusal.reason : refusal.kind)),
      [
        'unsupported-type',
        'unsupported-type',
        'malformed-params',
        'malformed-params',
        'target-kind',
        'malformed-params',
        'malformed-params',
      ],
    );
    for (const type of ACTION_TYPES) {
      const { request } = CASES[type];
      assert.equal(parseAction(type, request, request.params).kind, 'action', type);
    }
  });

  it('tests uid, resourceVersion and every value that a patch replaces, and a delete names the uid', () => {
    for (const type of ACTION_TYPES) {
      const write = writeOf(type);
      if (write.verb !== 'patch') {
        assert.equal(write.preconditions.uid, CASES[type].request.target.uid);
        continue;
      }
      const tested = new Set(
        write.patch.filter((operation) => operation.op === 'test').map((operation) => operation.path),
      );
      assert.ok(tested.has('/metadata/uid') && tested.has('/metadata/resourceVersion'), type);
      for (const operation of write.patch)
        if (operation.op === 'replace' || operation.op === 'remove')
          assert.ok(tested.has(operation.path), `${type} ${operation.path}`);
    }
  });

  it('stamps what it patches and replaces no annotation of others', () => {
    const write = writeOf('PatchResources', { object: deployment({ annotations: { team: 'blue' } }) });
    assert.ok(write.verb === 'patch');
    const after = applied(deployment({ annotations: { team: 'blue' } }), write.patch);
    assert.deepEqual(after.metadata, {
      ...(deployment().metadata as object),
      annotations: {
        'deployment.kubernetes.io/revision': '3',
        team: 'blue',
        'hephaisto.io/action-id': 'act-1',
        'hephaisto.io/incident-id': 'inc-1',
        'hephaisto.io/approved-by': 'person:ada',
      },
    });
  });

  it('a rollback restores the whole template, with nothing of ours in it', () => {
    const write = writeOf('RollbackWorkload');
    assert.ok(write.verb === 'patch');
    const after = applied(deployment(), write.patch);
    assert.deepEqual((after.spec as RawObject).template, template('app:1'));
  });

  it('apply, then undo, gives back exactly the spec from before', () => {
    verifies('H3-15', 'H3-80');
    for (const type of ACTION_TYPES) {
      if (ACTION_KINDS[type].reversibility.kind !== 'inverse') continue;
      const { request, fresh } = CASES[type];
      const write = writeOf(type);
      assert.ok(write.verb === 'patch');
      const after = applied(fresh.object, write.patch);
      const inverse = planInverse(request, fresh, after);
      const stored: typeof inverse = JSON.parse(JSON.stringify(inverse));
      const undo = undoWrite(stored, { kind: 'present', object: after }, STAMPS);
      assert.ok(undo.kind === 'write' && undo.write.verb === 'patch', type);
      const restored = applied(after, undo.write.patch);
      assert.deepEqual(restored.spec, fresh.object.spec, type);
    }
  });

  it('a kind without an inverse says why, and only one that its controller restores may do without', () => {
    verifies('H3-80');
    for (const type of ACTION_TYPES) {
      const { request, fresh } = CASES[type];
      const inverse = planInverse(request, fresh, fresh.object);
      assert.equal(inverse.kind === 'replace', ACTION_KINDS[type].reversibility.kind === 'inverse', type);
      if (inverse.kind === 'none') assert.ok(inverse.why.length > 20, type);
    }
  });

  it('an undo never overwrites what somebody changed since', () => {
    const write = writeOf('PatchResources');
    assert.ok(write.verb === 'patch');
    const after = applied(deployment(), write.patch);
    const inverse = planInverse(CASES.PatchResources.request, FRESH, after);
    const touched = applied(after, [
      { op: 'replace', path: '/spec/template/spec/containers/0/resources', value: { limits: { memory: '1Gi' } } },
    ]);
    const blocked = undoWrite(inverse, { kind: 'present', object: touched }, STAMPS);
    assert.equal(blocked.kind === 'blocked' && blocked.reason, 'changed-since');
    const gone = undoWrite(inverse, { kind: 'gone' }, STAMPS);
    assert.equal(gone.kind === 'blocked' && gone.reason, 'target-gone');
  });

  it('reads back a lost answer from the object alone', () => {
    verifies('H4-20');
    for (const type of ACTION_TYPES) {
      const { request, fresh } = CASES[type];
      const write = writeOf(type);
      const after = write.verb === 'patch' ? applied(fresh.object, write.patch) : fresh.object;
      const inverse = planInverse(request, fresh, after);
      const untouched = readBack(request, inverse, { kind: 'present', object: fresh.object }, 'act-1');
      assert.equal(untouched.kind, 'not_applied', type);
      const done = write.verb !== 'patch' ? ({ kind: 'gone' } as const) : ({ kind: 'present', object: after } as const);
      assert.equal(readBack(request, inverse, done, 'act-1').kind, 'applied', type);
    }
  });

  it('does not take the same values without our stamp for our own doing', () => {
    const write = writeOf('PatchResources');
    assert.ok(write.verb === 'patch');
    const inverse = planInverse(CASES.PatchResources.request, FRESH, applied(deployment(), write.patch));
    const byOther = applied(
      deployment(),
      write.patch.filter((operation) => operation.path.startsWith('/spec')),
    );
    assert.equal(
      readBack(CASES.PatchResources.request, inverse, { kind: 'present', object: byOther }, 'act-1').kind,
      'inconclusive',
    );
  });

  it('tells a moved basis from a moved surrounding', () => {
    const { request } = CASES.RollbackWorkload;
    const before = specFields(request, FRESH);
    const scaled = specFields(request, { ...FRESH, object: deployment({ replicas: 6 }) });
    const pushed = specFields(request, { ...FRESH, object: deployment({ image: 'app:9' }) });
    assert.deepEqual(scaled.basis, before.basis);
    assert.notDeepEqual(scaled.moving, before.moving);
    assert.notDeepEqual(pushed.basis, before.basis);
  });

  it('refuses what the object as it is now does not allow', () => {
    const reasons = [
      planWrite(CASES.RollbackWorkload.request, { object: deployment() }, STAMPS),
      planWrite(
        CASES.RollbackWorkload.request,
        { ...FRESH, revision: { current: 4, restore: { revision: 2, template: {} } } },
        STAMPS,
      ),
      planWrite(CASES.ScaleWorkload.request, { object: deployment({ replicas: 5 }) }, STAMPS),
      planWrite({ ...CASES.PatchResources.request, params: { container: 'nope', memoryLimitBytes: 1 } }, FRESH, STAMPS),
      planWrite(CASES.RestartPod.request, { object: { ...POD, metadata: { name: 'x' } } }, STAMPS),
    ].map((planned) => (planned.kind === 'impossible' ? planned.reason : planned.kind));
    assert.deepEqual(reasons, [
      'revision-missing',
      'revision-moved',
      'replicas-moved',
      'container-missing',
      'target-kind',
    ]);
  });

  it('changes no template while the rollout is paused, since nothing would roll out', () => {
    const paused = {
      ...FRESH,
      object: { ...FRESH.object, spec: { ...recordAt(FRESH.object, '/spec'), paused: true } },
    };
    for (const type of ['RollbackWorkload', 'PatchResources', 'RolloutRestart'] as const) {
      const planned = planWrite(CASES[type].request, paused, STAMPS);
      assert.equal(planned.kind === 'impossible' && planned.reason, 'nothing-to-change', type);
    }
  });

  it('describes each kind in one sentence and in commands', () => {
    assert.deepEqual(
      ACTION_TYPES.map((type) => describeAction(CASES[type].request)),
      [
        'roll Deployment shop/checkout back from revision 3 to revision 2, restoring its whole pod template',
        'evict Pod shop/checkout-a, so that Deployment shop/checkout makes it again',
        'restart every pod of Deployment shop/checkout, at the pace of its own rollout strategy',
        'scale Deployment shop/checkout from 4 to 6 replicas',
        'set memory limit 256Mi on container app of Deployment shop/checkout',
        'delete Job shop/nightly together with its pods',
      ],
    );
    for (const type of ACTION_TYPES)
      for (const command of byHandCommands(CASES[type].request))
        assert.match(command, /^kubectl .*(?: -n |namespaces\/)shop/);
  });

  it('shows a diff by names, not by list positions', () => {
    const write = writeOf('PatchResources');
    assert.ok(write.verb === 'patch');
    assert.deepEqual(specDiff(deployment(), applied(deployment(), write.patch)), [
      { path: 'spec.template.spec.containers[app].resources.limits.memory', from: '128Mi', to: '256Mi' },
    ]);
  });
});
