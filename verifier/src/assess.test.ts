import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AnyActionRequest, Inverse } from '@hephaisto/core/action/types';
import { verifies } from '@hephaisto/test/verifies';
import fc from 'fast-check';
import { assess, predicatesOf, QUESTION_OF_ATTEMPT } from './assess.ts';
import type { VerificationFacts, WorkloadHealth } from './facts.ts';
import type { Question } from './predicate.ts';
import { decideRollback } from './rollback.ts';

const WORKLOAD = { kind: 'Deployment', namespace: 'shop', name: 'checkout' };
const PATCH: AnyActionRequest = {
  type: 'PatchResources',
  workload: WORKLOAD,
  target: { ...WORKLOAD, uid: 'u' },
  params: { container: 'app', memoryLimitBytes: 256 },
};
const RESTART: AnyActionRequest = {
  type: 'RestartPod',
  workload: WORKLOAD,
  target: { kind: 'Pod', namespace: 'shop', name: 'p', uid: 'pod' },
  params: {},
};
const INVERSE: Inverse = {
  kind: 'replace',
  apiVersion: 'apps/v1',
  resource: 'deployments',
  namespace: 'shop',
  name: 'checkout',
  uid: 'u',
  values: [{ path: '/spec/x', written: 'new', prior: 'old' }],
};
const HEALTHY: WorkloadHealth & { kind: 'present' } = {
  kind: 'present',
  replicas: 4,
  total: 4,
  updated: 4,
  ready: 4,
  available: 4,
  observed: true,
  restarts: { 'a/app': 1, 'b/app': 0 },
  failing: [],
};

function facts(overrides: Partial<VerificationFacts> = {}, health: Partial<typeof HEALTHY> = {}): VerificationFacts {
  return {
    request: PATCH,
    actionId: 'act',
    inverse: INVERSE,
    workload: { measured: true, value: { ...HEALTHY, ...health } },
    target: {
      measured: true,
      value: {
        kind: 'present',
        object: { metadata: { uid: 'u', generation: 2 }, spec: { x: 'new' }, status: { observedGeneration: 2 } },
      },
    },
    alerts: { kind: 'answered', firing: [] },
    before: { ready: 3, restarts: { 'a/app': 1 } },
    restartsEarlier: { 'a/app': 1, 'b/app': 0 },
    ...overrides,
  };
}

const UNREADABLE = { measured: false, why: 'timeout' } as const;
const spec = (x: string, observedGeneration = 2): Partial<VerificationFacts> => ({
  target: {
    measured: true,
    value: {
      kind: 'present',
      object: { metadata: { uid: 'u', generation: 2 }, spec: { x }, status: { observedGeneration } },
    },
  },
});

type Row = readonly [
  sentence: string,
  attempt: 1 | 2 | 3,
  facts: VerificationFacts,
  result: string,
  codes: readonly string[],
];
const ROWS: readonly Row[] = [
  [
    'nothing broke, though the rollout is still going',
    1,
    facts({}, { updated: 1, ready: 3 }),
    'Passed',
    ['nothing_worse', 'change_stands'],
  ],
  [
    'fewer pods are ready than before, at the first look',
    1,
    facts({}, { ready: 2 }),
    'Inconclusive',
    ['fewer_ready', 'change_stands'],
  ],
  [
    'a new pod has already restarted',
    1,
    facts({}, { restarts: { 'new/app': 1 } }),
    'Inconclusive',
    ['new_pod_restarted', 'change_stands'],
  ],
  ['all pods new and ready', 2, facts(), 'Passed', ['settled', 'change_stands']],
  ['not converged yet', 2, facts({}, { updated: 3 }), 'Inconclusive', ['not_updated', 'change_stands']],
  [
    'healthy to the end, and the alert is quiet',
    3,
    facts(),
    'Passed',
    ['stayed_settled', 'not_firing', 'change_stands'],
  ],
  ['regressed at the end', 3, facts({}, { ready: 3 }), 'Failed', ['not_ready', 'not_firing', 'change_stands']],
  [
    'restarted between the last two checks',
    3,
    facts({ restartsEarlier: { 'a/app': 0, 'b/app': 0 } }),
    'Failed',
    ['restarted_since', 'not_firing', 'change_stands'],
  ],
  [
    'the alert still fires',
    3,
    facts({ alerts: { kind: 'answered', firing: ['KubePodCrashLooping'] } }),
    'Failed',
    ['stayed_settled', 'still_firing', 'change_stands'],
  ],
  ['somebody took the change back', 3, facts(spec('old')), 'Failed', ['stayed_settled', 'not_firing', 'change_undone']],
  [
    'the workload was deleted',
    3,
    facts({ workload: { measured: true, value: { kind: 'gone' } } }),
    'Failed',
    ['workload_gone', 'not_firing', 'change_stands'],
  ],
  [
    'the API server hangs at the end',
    3,
    facts({ workload: UNREADABLE, target: UNREADABLE }),
    'Inconclusive',
    ['unmeasurable', 'not_firing', 'unmeasurable'],
  ],
  [
    'one thing failed and another could not be measured',
    3,
    facts({ target: UNREADABLE }, { ready: 0 }),
    'Failed',
    ['not_ready', 'not_firing', 'unmeasurable'],
  ],
  [
    'no alerting system is configured',
    3,
    facts({ alerts: { kind: 'not-configured' } }),
    'Passed',
    ['stayed_settled', 'no_alert_source', 'change_stands'],
  ],
  [
    'the alerting system does not answer',
    3,
    facts({ alerts: { kind: 'unreachable', message: 'refused' } }),
    'Inconclusive',
    ['stayed_settled', 'unmeasurable', 'change_stands'],
  ],
  [
    'somebody scaled it to zero',
    3,
    facts({}, { replicas: 0, total: 0, updated: 0, ready: 0 }),
    'Inconclusive',
    ['nothing_runs', 'not_firing', 'change_stands'],
  ],
  [
    'a restarted pod is gone and the workload is well',
    3,
    facts({
      request: RESTART,
      inverse: { kind: 'none', why: 'x' },
      target: { measured: true, value: { kind: 'gone' } },
    }),
    'Passed',
    ['stayed_settled', 'not_firing', 'change_stands'],
  ],
];

describe('assess', () => {
  for (const [sentence, attempt, given, result, codes] of ROWS)
    it(`${sentence}: ${result}`, () => {
      verifies('H3-67', 'H3-68', 'H3-69');
      const assessed = assess(given, QUESTION_OF_ATTEMPT[attempt - 1] as Question, attempt);
      assert.deepEqual([assessed.result, assessed.predicates.map(({ code }) => code)], [result, codes]);
    });

  it('asks three different questions', () => {
    verifies('H3-68');
    const health = (attempt: 1 | 2 | 3, given: VerificationFacts) =>
      assess(given, QUESTION_OF_ATTEMPT[attempt - 1] as Question, attempt).predicates[0]?.verdict;
    const halfway = facts({}, { updated: 2, ready: 3, total: 5 });
    assert.deepEqual([health(1, halfway), health(2, halfway), health(3, halfway)], ['passed', 'failed', 'failed']);
    const restarted = facts({ restartsEarlier: {} });
    assert.deepEqual([health(2, restarted), health(3, restarted)], ['passed', 'failed']);
    assert.notDeepEqual(predicatesOf('PatchResources', 'converged'), predicatesOf('PatchResources', 'came_back'));
  });

  it('asks an undo only whether the prior values stand and were seen', () => {
    const at = (attempt: number, given: Partial<VerificationFacts>) =>
      assess(facts(given, { ready: 0 }), 'restored', attempt).result;
    assert.equal(at(1, spec('old')), 'Passed');
    assert.equal(at(1, spec('old', 1)), 'Inconclusive');
    assert.equal(at(3, spec('new')), 'Failed');
    assert.equal(at(3, { target: UNREADABLE }), 'Inconclusive');
  });

  it('never fails before the last attempt, never passes unmeasured, never fails unmeasured', () => {
    verifies('H3-67', 'H3-69');
    const readable = fc.boolean();
    fc.assert(
      fc.property(
        readable,
        readable,
        fc.constantFrom(1, 2, 3),
        fc.nat(4),
        fc.constantFrom('new', 'old'),
        (workload, target, attempt, ready, x) => {
          const given = facts(
            { ...(target ? spec(x) : { target: UNREADABLE }), ...(workload ? {} : { workload: UNREADABLE }) },
            { ready },
          );
          const { result, predicates } = assess(given, QUESTION_OF_ATTEMPT[attempt - 1] as Question, attempt);
          if (attempt < 3) assert.notEqual(result, 'Failed');
          if (!workload || !target) assert.notEqual(result, 'Passed');
          if (result === 'Failed') assert.ok(predicates.some(({ verdict }) => verdict === 'failed'));
        },
      ),
    );
  });
});

describe('rollback', () => {
  it('undoes only what failed and can be undone', () => {
    verifies('H3-69', 'H3-6');
    const none: Inverse = { kind: 'none', why: 'a restarted pod has nothing to undo' };
    assert.deepEqual(
      [
        decideRollback('Failed', INVERSE).kind,
        decideRollback('Failed', none).kind,
        decideRollback('Inconclusive', INVERSE).kind,
        decideRollback('Passed', INVERSE).kind,
      ],
      ['undo', 'nothing-to-undo', 'leave', 'leave'],
    );
  });
});
