import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Condition } from '../shape/condition.ts';
import { findCondition } from '../shape/conditions.ts';
import type { Deployment, DeploymentStatus, ReplicaSet } from '../shape/workloads.ts';
import { aDeployment, aReplicaSet, aTemplate, NOW } from '../testing/samples.ts';
import { type DeploymentDecision, decideDeployment } from './decide-deployment.ts';
import { DESIRED_REPLICAS, MAX_REPLICAS, REVISION, REVISION_HISTORY } from './revision.ts';

const BEFORE = '2030-01-01T00:00:00Z';

function decide(
  deployment: Deployment,
  owned: readonly ReplicaSet[],
  more: { sinceProgress?: number; oldPodsRunning?: boolean } = {},
): DeploymentDecision {
  const { sinceProgress, oldPodsRunning = false } = more;
  return decideDeployment({ deployment, owned, oldPodsRunning, now: NOW, sinceProgress });
}

function known(spec: Partial<Deployment['spec']>, status: DeploymentStatus, image = 'web-new'): Deployment {
  const deployment = aDeployment(spec, image);
  return {
    ...deployment,
    metadata: { ...deployment.metadata, generation: 2, annotations: { [REVISION]: '2' } },
    status: { observedGeneration: 2, ...status },
  };
}

function progressing(reason: string, status: Condition['status'] = 'True'): readonly Condition[] {
  return [{ type: 'Progressing', status, reason, message: '', lastUpdateTime: BEFORE, lastTransitionTime: BEFORE }];
}

function conditionOf(decision: DeploymentDecision, type = 'Progressing'): Condition | undefined {
  return findCondition(decision.status.conditions ?? [], type);
}

const ANNOTATED = { [REVISION]: '2', [DESIRED_REPLICAS]: '3', [MAX_REPLICAS]: '4' };
const OLD = { [REVISION]: '1', [DESIRED_REPLICAS]: '3', [MAX_REPLICAS]: '4' };

describe('a new template', () => {
  it('gets a ReplicaSet of its own with the next revision', () => {
    const settled = { replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 };
    const deployment = known({ replicas: 3 }, settled, 'web:2');
    const decision = decide(deployment, [aReplicaSet('web-old', { replicas: 3, annotations: OLD })]);
    const [created, revision] = decision.steps;
    assert.equal(created?.kind, 'create');
    assert.ok(created?.kind === 'create');
    const { metadata, spec } = created.replicaSet;
    assert.equal(spec.replicas, 1, 'what the surge allows');
    assert.deepEqual(metadata.annotations, { ...ANNOTATED });
    const hash = metadata.labels?.['pod-template-hash'];
    assert.equal(metadata.name, `web-${hash}`);
    assert.deepEqual(spec.selector.matchLabels, { app: 'web', 'pod-template-hash': hash });
    assert.deepEqual(spec.template.metadata?.labels, { app: 'web', 'pod-template-hash': hash });
    assert.equal(created.scaled, `Scaled up replica set ${metadata.name} from 0 to 1`);
    assert.equal(revision, undefined, 'the annotation says revision 2 already');
    assert.equal(conditionOf(decision)?.reason, 'NewReplicaSetCreated');
  });

  it('finds the ReplicaSet it once had, and that becomes the newest revision', () => {
    const reverted = known({ replicas: 3 }, { conditions: progressing('ReplicaSetUpdated') }, 'web-old');
    const decision = decide(reverted, [
      aReplicaSet('web-old', { replicas: 3, annotations: OLD, age: 1 }),
      aReplicaSet('web-new', { replicas: 1, available: 0, annotations: ANNOTATED, age: 2 }),
    ]);
    const [changed, revision, shrunk] = decision.steps;
    assert.ok(changed?.kind === 'change');
    assert.deepEqual(
      [
        changed.replicaSet.metadata.annotations?.[REVISION],
        changed.replicaSet.metadata.annotations?.[REVISION_HISTORY],
      ],
      ['3', '1'],
    );
    assert.deepEqual(revision, { kind: 'set-revision', revision: '3' });
    assert.ok(shrunk?.kind === 'change');
    assert.equal(shrunk.scaled, 'Scaled down replica set web-new from 1 to 0');
  });

  it('waits with strategy Recreate until the last old pod is gone', () => {
    const deployment = known({ strategy: { type: 'Recreate' } }, {}, 'web:2');
    const old = (replicas: number, present: number) => [
      aReplicaSet('web-old', { replicas, present, annotations: OLD }),
    ];
    assert.deepEqual(
      decide(deployment, old(3, 3)).steps.map(({ kind }) => kind),
      ['change'],
    );
    assert.deepEqual(decide(deployment, old(0, 1)).steps, []);
    assert.deepEqual(decide(deployment, old(0, 0), { oldPodsRunning: true }).steps, []);
    const [created] = decide(deployment, old(0, 0)).steps;
    assert.ok(created?.kind === 'create');
    assert.equal(created.replicaSet.spec.replicas, 3);
  });
});

interface ProgressCase {
  readonly name: string;
  readonly replicas: number;
  readonly available: number;
  readonly before: DeploymentStatus;
  readonly sinceProgress?: number;
  readonly expected: readonly [status: string, reason: string, updated: string];
}

describe('the condition Progressing', () => {
  const stuck = { replicas: 3, updatedReplicas: 3, readyReplicas: 2, availableReplicas: 2 };
  const cases: readonly ProgressCase[] = [
    {
      name: 'is updated whenever progress shows',
      replicas: 3,
      available: 2,
      before: { ...stuck, readyReplicas: 1, availableReplicas: 1, conditions: progressing('ReplicaSetUpdated') },
      sinceProgress: 10_000_000,
      expected: ['True', 'ReplicaSetUpdated', NOW],
    },
    {
      name: 'stays as it is while nothing moves before the deadline',
      replicas: 3,
      available: 2,
      before: { ...stuck, conditions: progressing('ReplicaSetUpdated') },
      sinceProgress: 599_000,
      expected: ['True', 'ReplicaSetUpdated', BEFORE],
    },
    {
      name: 'turns false past the deadline',
      replicas: 3,
      available: 2,
      before: { ...stuck, conditions: progressing('ReplicaSetUpdated') },
      sinceProgress: 600_001,
      expected: ['False', 'ProgressDeadlineExceeded', NOW],
    },
    {
      name: 'ends well when everything is available',
      replicas: 3,
      available: 3,
      before: { ...stuck, conditions: progressing('ProgressDeadlineExceeded', 'False') },
      expected: ['True', 'NewReplicaSetAvailable', NOW],
    },
    {
      name: 'does not fall back when a pod of a finished rollout fails',
      replicas: 3,
      available: 2,
      before: { ...stuck, readyReplicas: 3, availableReplicas: 3, conditions: progressing('NewReplicaSetAvailable') },
      sinceProgress: 10_000_000,
      expected: ['True', 'NewReplicaSetAvailable', BEFORE],
    },
    {
      name: 'says so when a ReplicaSet was found that nobody announced',
      replicas: 3,
      available: 2,
      before: stuck,
      expected: ['True', 'FoundNewReplicaSet', NOW],
    },
  ];
  for (const test of cases)
    it(test.name, () => {
      const owned = [aReplicaSet('web-new', { ...test, annotations: ANNOTATED })];
      const more = test.sinceProgress === undefined ? {} : { sinceProgress: test.sinceProgress };
      const condition = conditionOf(decide(known({ replicas: 3 }, test.before), owned, more));
      assert.deepEqual([condition?.status, condition?.reason, condition?.lastUpdateTime], test.expected);
    });

  it('says that the deployment is paused, and starts its clock anew on resuming', () => {
    const owned = [aReplicaSet('web-new', { replicas: 3, available: 2, annotations: ANNOTATED })];
    const paused = decide(known({ paused: true }, { conditions: progressing('ReplicaSetUpdated') }), owned);
    assert.deepEqual(
      [paused.kind, conditionOf(paused)?.status, conditionOf(paused)?.reason],
      ['paused', 'Unknown', 'DeploymentPaused'],
    );
    const before = { replicas: 3, updatedReplicas: 3, readyReplicas: 2, availableReplicas: 2 };
    const resumed = decide(known({}, { ...before, conditions: progressing('DeploymentPaused', 'Unknown') }), owned);
    assert.deepEqual([conditionOf(resumed)?.reason, conditionOf(resumed)?.lastUpdateTime], ['DeploymentResumed', NOW]);
  });

  it('makes no new revision while paused, but scales', () => {
    const paused = known({ paused: true, replicas: 5 }, {}, 'web:3');
    const decision = decide(paused, [aReplicaSet('web-new', { replicas: 3, annotations: ANNOTATED })]);
    assert.deepEqual(
      decision.steps.map((step) => (step.kind === 'change' ? step.scaled : step.kind)),
      ['Scaled up replica set web-new from 3 to 5'],
    );
  });
});

describe('the condition Available', () => {
  it('turns false below the minimum', () => {
    const owned = (available: number) => [
      aReplicaSet('web-new', { replicas: 4, available, annotations: { ...ANNOTATED, [DESIRED_REPLICAS]: '4' } }),
    ];
    const reason = (available: number) =>
      conditionOf(decide(known({ replicas: 4 }, {}), owned(available)), 'Available')?.reason;
    assert.deepEqual([reason(3), reason(2)], ['MinimumReplicasAvailable', 'MinimumReplicasUnavailable']);
  });
});

describe('a settled deployment', () => {
  it('changes nothing, however often it is looked at', () => {
    const owned = [aReplicaSet('web-new', { replicas: 3, annotations: ANNOTATED })];
    const first = decide(known({}, { conditions: progressing('NewReplicaSetAvailable') }), owned);
    const again = decide(known({}, first.status), owned);
    assert.deepEqual(first.steps, []);
    assert.deepEqual(again.status, first.status);
  });

  it('drops the oldest revisions beyond its limit, but none that has pods left', () => {
    const old = [1, 2, 3].map((revision) =>
      aReplicaSet(`web-${revision}`, {
        replicas: 0,
        present: revision === 1 ? 1 : 0,
        available: 0,
        annotations: { ...OLD, [REVISION]: String(revision) },
        image: `web:${revision}`,
      }),
    );
    const current = aReplicaSet('web-new', { replicas: 3, annotations: { ...ANNOTATED, [REVISION]: '4' } });
    const status = { replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 };
    const decision = decide(known({ revisionHistoryLimit: 1 }, status), [...old, current]);
    const deleted = decision.steps.flatMap((step) => (step.kind === 'delete' ? [step.replicaSet.metadata.name] : []));
    assert.deepEqual(deleted, ['web-2'], 'web-1 still has a pod');
  });
});

describe('equal templates', () => {
  it('are one template whatever the order of their keys and whatever the hash label says', () => {
    const deployment = known(
      { template: { spec: aTemplate('web-new').spec, metadata: { labels: { app: 'web' } } } },
      {},
    );
    const owned = aReplicaSet('web-new', { replicas: 3, annotations: ANNOTATED });
    const labelled = { metadata: { labels: { 'pod-template-hash': 'x', app: 'web' } }, spec: owned.spec.template.spec };
    const decision = decide(deployment, [{ ...owned, spec: { ...owned.spec, template: labelled } }]);
    assert.ok(!decision.steps.some(({ kind }) => kind === 'create'));
  });
});
