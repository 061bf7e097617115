import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifies } from '@hephaisto/test/verifies';
import fc from 'fast-check';
import type { Cause } from '../finding/finding.ts';
import { type PlannableFinding, planFromFindings } from './plan.ts';
import { raisedMemoryLimit } from './propose.ts';

const BOUNDS = { memoryMaxBytes: 2 ** 32, memoryMaxFactor: 4 };
const workload = { kind: 'Deployment', namespace: 'shop', name: 'app', uid: 'u' };
const pod = { kind: 'Pod', namespace: 'shop', name: 'app-1', uid: 'p' };
const service = { kind: 'Service', namespace: 'shop', name: 'db' };
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

function found(cause: Cause, overrides: Partial<PlannableFinding> = {}): PlannableFinding {
  return { id: 'f1', statement: 's', certainty: 'likely', cause, primary: true, status: 'grounded', ...overrides };
}

const ACTIONS: Readonly<Record<string, { cause: Cause; type: string; params: unknown; target: string }>> = {
  'a bad rollout is rolled back to the revision that worked': {
    cause: rollout,
    type: 'RollbackWorkload',
    params: { fromRevision: 3, toRevision: 1 },
    target: 'u',
  },
  'a limit without a stated need is doubled': {
    cause: oom,
    type: 'PatchResources',
    params: { container: 'app', memoryLimitBytes: 128 * 2 ** 20 },
    target: 'u',
  },
  'a limit with a stated need gets room above it': {
    cause: { ...oom, neededBytes: 160 * 2 ** 20 },
    type: 'PatchResources',
    params: { container: 'app', memoryLimitBytes: 200 * 2 ** 20 },
    target: 'u',
  },
  'stale local state goes with its pod': {
    cause: { kind: 'stale-local-state', workload, pod, container: 'app' },
    type: 'RestartPod',
    params: {},
    target: 'p',
  },
  'a stuck job of a CronJob is deleted': {
    cause: {
      kind: 'job-failed',
      workload: { ...workload, kind: 'CronJob' },
      job: { ...pod, kind: 'Job' },
      detail: 'stuck',
    },
    type: 'DeleteStuckJob',
    params: {},
    target: 'p',
  },
};

for (const [sentence, { cause, type, params, target }] of Object.entries(ACTIONS)) {
  test(sentence, () => {
    verifies('H3-13');
    const plan = planFromFindings([found(cause)], BOUNDS);
    assert.equal(plan.kind, 'action', plan.message);
    if (plan.kind !== 'action') return;
    assert.equal(plan.request.type, type);
    assert.deepEqual(plan.request.params, params);
    assert.equal(plan.request.target.uid, target);
    assert.deepEqual(plan.citedFindings, ['f1']);
  });
}

const NONE: Readonly<
  Record<string, { findings: readonly PlannableFinding[]; reason: string; escalation: string; command?: RegExp }>
> = {
  'no finding at all': { findings: [], reason: 'no-finding', escalation: 'LowConfidence' },
  'a finding whose quotations did not stand': {
    findings: [found(rollout, { status: 'dropped', primary: false })],
    reason: 'grounding-rejected',
    escalation: 'GroundingRejected',
  },
  'a cause that is only possible': {
    findings: [found({ kind: 'one-bad-replica', workload, pod }, { certainty: 'possible' })],
    reason: 'certainty-too-low',
    escalation: 'LowConfidence',
    command: /kubectl create --raw \/api\/v1\/namespaces\/shop\/pods\/app-1\/eviction/,
  },
  'a cause in another workload': {
    findings: [found({ kind: 'upstream', workload, service })],
    reason: 'upstream-cause',
    escalation: 'UpstreamCause',
  },
  'an image that is missing': {
    findings: [found({ kind: 'image-missing', workload, container: 'app', image: 'x:1' })],
    reason: 'needs-person:image',
    escalation: 'NoPlanProduced',
    command: /^kubectl set image deployment\/app -n shop app=/,
  },
  'a request that no node can hold': {
    findings: [
      found({
        kind: 'unschedulable',
        workload,
        resource: 'memory',
        requested: 2 ** 36,
        largestNode: { name: 'n', allocatable: 2 ** 34 },
      }),
    ],
    reason: 'needs-person:capacity',
    escalation: 'NoPlanProduced',
    command: /--requests=memory=<LESS THAN 16Gi>/,
  },
  'a key that is missing': {
    findings: [found({ kind: 'config-missing', workload, source: 'Secret', name: 'keys', key: 'k' })],
    reason: 'needs-person:configuration',
    escalation: 'NoPlanProduced',
    command: /^kubectl patch secret keys -n shop .*"k":"<VALUE>"/,
  },
  'a crash of the application itself': {
    findings: [found({ kind: 'crash-application', workload, container: 'app' })],
    reason: 'no-safe-action',
    escalation: 'NoPlanProduced',
    command: /--previous/,
  },
  'a rollback of a paused Deployment, which would change nothing': {
    findings: [found({ ...rollout, paused: { by: 'kubectl-rollout', at: '2026-01-01T00:00:00.000Z' } })],
    reason: 'rollout-paused',
    escalation: 'NoPlanProduced',
    command: /kubectl rollout resume deployment\/app -n shop/,
  },
  'a raised limit of a paused Deployment': {
    findings: [found({ ...oom, paused: {} })],
    reason: 'rollout-paused',
    escalation: 'NoPlanProduced',
    command: /kubectl rollout resume/,
  },
  'a rollout that is paused': {
    findings: [found({ kind: 'rollout-paused', workload, paused: { by: 'kubectl-rollout' } })],
    reason: 'rollout-paused',
    escalation: 'NoPlanProduced',
    command: /kubectl rollout resume/,
  },
  'a quota that refuses pods': {
    findings: [found({ kind: 'pod-creation-refused', workload, by: 'quota', name: 'compute' })],
    reason: 'needs-person:capacity',
    escalation: 'NoPlanProduced',
    command: /kubectl describe resourcequota compute -n shop/,
  },
  'an init container that holds a pod': {
    findings: [found({ kind: 'pod-start-held', workload, pod, container: 'wait-db', by: 'init-container' })],
    reason: 'no-safe-action',
    escalation: 'NoPlanProduced',
    command: /kubectl logs pod\/app-1 -n shop -c wait-db/,
  },
  'a target that no step has seen': {
    findings: [found({ ...rollout, workload: { kind: 'Deployment', namespace: 'shop', name: 'app' } })],
    reason: 'target-not-observed',
    escalation: 'NoPlanProduced',
  },
  'a limit that is at its bound already': {
    findings: [found({ ...oom, limitBytes: 2 ** 32 })],
    reason: 'out-of-bounds',
    escalation: 'NoPlanProduced',
  },
  'a node under pressure': {
    findings: [found({ kind: 'node-pressure', node: 'n', condition: 'MemoryPressure' })],
    reason: 'needs-person:node',
    escalation: 'NoPlanProduced',
  },
  'a job that failed is not run again': {
    findings: [found({ kind: 'job-failed', workload, job: pod, detail: 'BackoffLimitExceeded' })],
    reason: 'needs-person:application',
    escalation: 'NoPlanProduced',
  },
  'a rollback of something that has no revisions': {
    findings: [found({ ...rollout, workload: { ...workload, kind: 'Namespace' } })],
    reason: 'invalid-action',
    escalation: 'NoPlanProduced',
  },
};

for (const [sentence, { findings, reason, escalation, command }] of Object.entries(NONE)) {
  test(`nothing is proposed: ${sentence}`, () => {
    const plan = planFromFindings(findings, BOUNDS);
    assert.equal(plan.reason, reason, plan.message);
    assert.equal(plan.kind === 'none' && plan.escalation, escalation);
    if (command !== undefined) assert.match(plan.commands.join('\n'), command);
  });
}

test('a raised limit is above the old one and the need, within every bound, in whole MiB, or there is none', () => {
  const bytes = fc.integer({ min: 2 ** 20, max: 2 ** 34 });
  fc.assert(
    fc.property(
      bytes,
      fc.option(bytes, { nil: undefined }),
      bytes,
      fc.double({ min: 1.1, max: 16, noNaN: true }),
      (limit, need, max, factor) => {
        const raised = raisedMemoryLimit(limit, need, { memoryMaxBytes: max, memoryMaxFactor: factor });
        if (raised === undefined) return;
        assert.ok(raised > limit && raised >= (need ?? 0) && raised <= max && raised <= limit * factor);
        assert.equal(raised % 2 ** 20, 0);
      },
    ),
  );
});
