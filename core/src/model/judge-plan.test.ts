import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Cause } from '../finding/finding.ts';
import type { PlannableFinding } from '../plan/plan.ts';
import { judgePlan } from './judge-plan.ts';

const BOUNDS = { memoryMaxBytes: 2 ** 32, memoryMaxFactor: 4 };
const workload = { kind: 'Deployment', namespace: 'shop', name: 'app', uid: 'u' };
const pod = { kind: 'Pod', namespace: 'shop', name: 'app-1', uid: 'p' };
const target = { kind: workload.kind, namespace: workload.namespace, name: workload.name };
const rollout: Cause = {
  kind: 'rollout-change',
  workload,
  symptom: 'crash',
  revision: 3,
  previousRevision: 1,
  changedAt: new Date(0),
  changes: [],
};
const oom: Cause = { kind: 'memory-limit-too-low', workload, container: 'app', limitBytes: 64 * 2 ** 20 };
const stuck: Cause = { kind: 'stale-local-state', workload, pod, container: 'app' };
const crash: Cause = { kind: 'crash-application', workload, container: 'app' };

function found(cause: Cause, overrides: Partial<PlannableFinding> = {}): PlannableFinding {
  return { id: 'f1', statement: 's', certainty: 'likely', cause, primary: true, status: 'grounded', ...overrides };
}

function act(type: string, params: object, aimedAt: object = target, finding = 'f1'): string {
  return JSON.stringify({ decision: 'act', because: 'it helps', act: { type, finding, target: aimedAt, params } });
}

const rollback = act('RollbackWorkload', { fromRevision: 3, toRevision: 1 });
const raise = (params: object) => act('PatchResources', params);

const ACCEPTED: Readonly<Record<string, readonly [text: string, finding: PlannableFinding, uid: string]>> = {
  'a rollback between the two revisions that the finding names': [rollback, found(rollout), 'u'],
  'a limit within the bounds': [raise({ container: 'app', memoryLimitBytes: 128 * 2 ** 20 }), found(oom), 'u'],
  'a restart of the pod that the finding names': [
    act('RestartPod', {}, { kind: 'Pod', namespace: 'shop', name: 'app-1' }),
    found(stuck),
    'p',
  ],
  'twice the replicas': [act('ScaleWorkload', { fromReplicas: 2, toReplicas: 4 }), found(crash), 'u'],
};

for (const [sentence, [text, finding, uid]] of Object.entries(ACCEPTED)) {
  test(`a planner may ask for ${sentence}`, () => {
    const plan = judgePlan(text, [finding], BOUNDS);
    assert.equal(plan.kind, 'action', plan.message);
    assert.equal(plan.kind === 'action' && plan.request.target.uid, uid);
    assert.deepEqual(plan.citedFindings, ['f1']);
  });
}

const REFUSED: Readonly<Record<string, readonly [text: string, finding: PlannableFinding, reason: string]>> = {
  'a rollback while the rollout is paused': [
    rollback,
    found({ ...rollout, paused: { by: 'kubectl-rollout' } }),
    'rollout-paused',
  ],
  'a restart of all pods while the rollout is paused': [
    act('RolloutRestart', {}),
    found({ ...crash, paused: {} }),
    'rollout-paused',
  ],
  'nothing is proposed': [
    JSON.stringify({ decision: 'none', because: 'a person should look' }),
    found(rollout),
    'planner-chose-none',
  ],
  'no JSON': ['roll it back', found(rollout), 'invalid-action'],
  'half of an answer': [rollback.slice(0, -3), found(rollout), 'invalid-action'],
  'a field that the schema does not have': [
    rollback.replace('"decision"', '"force":true,"decision"'),
    found(rollout),
    'invalid-action',
  ],
  'an act that is not in the catalogue': [act('DeleteNamespace', {}), found(rollout), 'invalid-action'],
  'an act together with the decision for none': [
    rollback.replace('"decision":"act"', '"decision":"none"'),
    found(rollout),
    'invalid-action',
  ],
  'a decision to act without an act': [
    JSON.stringify({ decision: 'act', because: 'it helps' }),
    found(rollout),
    'invalid-action',
  ],
  'a finding that does not exist': [
    act('RollbackWorkload', { fromRevision: 3, toRevision: 1 }, target, 'f2'),
    found(rollout),
    'grounding-rejected',
  ],
  'a finding whose quotations did not stand': [rollback, found(rollout, { status: 'dropped' }), 'grounding-rejected'],
  'a finding that is only possible': [rollback, found(rollout, { certainty: 'possible' }), 'certainty-too-low'],
  'a target that the finding does not name': [
    act('RollbackWorkload', { fromRevision: 3, toRevision: 1 }, { ...target, namespace: 'bank' }),
    found(rollout),
    'target-not-cited',
  ],
  'a target whose name only looks the same': [
    act('RollbackWorkload', { fromRevision: 3, toRevision: 1 }, { ...target, name: 'аpp' }),
    found(rollout),
    'target-not-cited',
  ],
  'a target that no step observed': [rollback, found({ ...rollout, workload: target }), 'target-not-observed'],
  'an act that does not repair such a cause': [rollback, found(oom), 'not-from-finding'],
  'a rollback to another revision': [
    act('RollbackWorkload', { fromRevision: 3, toRevision: 2 }),
    found(rollout),
    'out-of-bounds',
  ],
  'a limit beyond the factor': [
    raise({ container: 'app', memoryLimitBytes: 512 * 2 ** 20 }),
    found(oom),
    'out-of-bounds',
  ],
  'a limit below the one there is': [
    raise({ container: 'app', memoryLimitBytes: 32 * 2 ** 20 }),
    found(oom),
    'out-of-bounds',
  ],
  'the limit of another container': [
    raise({ container: 'sidecar', memoryLimitBytes: 128 * 2 ** 20 }),
    found(oom),
    'out-of-bounds',
  ],
  'three times the replicas': [act('ScaleWorkload', { fromReplicas: 2, toReplicas: 6 }), found(crash), 'out-of-bounds'],
};

for (const [sentence, [text, finding, reason]] of Object.entries(REFUSED)) {
  test(`a planner is refused: ${sentence}`, () => {
    const plan = judgePlan(text, [finding], BOUNDS);
    assert.equal(plan.kind, 'none', plan.message);
    assert.equal(plan.reason, reason, plan.message);
  });
}

test('whatever a planner says, only an act of the catalogue on what the cited finding names is accepted', () => {
  const findings = [rollout, oom, stuck, crash].map((cause, n) => found(cause, { id: `f${n}`, primary: n === 0 }));
  const word = fc.constantFrom('act', 'none', 'f0', 'f1', 'f2', 'f3', 'app', 'app-1', 'shop', 'Deployment', 'Pod', 'x');
  const number = fc.constantFrom(-1, 0, 1, 2, 3, 2 ** 27, 2 ** 40);
  const answer = fc.record({
    decision: fc.constantFrom('act', 'none'),
    because: fc.constant('so'),
    act: fc.record({
      type: fc.constantFrom('RollbackWorkload', 'RestartPod', 'RolloutRestart', 'ScaleWorkload', 'PatchResources', 'x'),
      finding: fc.constantFrom('f0', 'f1', 'f2', 'f3', 'f9'),
      target: fc.record({ kind: word, namespace: word, name: word }),
      params: fc.oneof(
        fc.constant({}),
        fc.record({ fromRevision: number, toRevision: number }),
        fc.record({ fromReplicas: number, toReplicas: number }),
        fc.record({ container: word, memoryLimitBytes: number }),
      ),
    }),
  });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        answer.map((value) => JSON.stringify(value)),
      ),
      (text) => {
        const plan = judgePlan(text, findings, BOUNDS);
        if (plan.kind === 'none') return;
        const cited = findings.find(({ id }) => id === plan.citedFindings[0]);
        assert.ok(cited !== undefined);
        assert.ok(JSON.stringify(cited.cause).includes(`"uid":"${plan.request.target.uid}"`));
      },
    ),
    { numRuns: 2_000 },
  );
});
