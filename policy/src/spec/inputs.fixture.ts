import { ACTION_TYPES, type AnyActionRequest } from '@hephaisto/core/action/types';
import { CERTAINTIES } from '@hephaisto/core/finding/finding';
import { AGENT_MODES } from '@hephaisto/core/switches/modes';
import fc from 'fast-check';
import { GATES } from '../gate.ts';
import { type GitOpsOwner, type Known, known, type PolicyInput, unknown } from '../input.ts';
import { type NamespaceRule, parsePolicy } from '../policy-file.ts';

/** The rule that lets everything pass that may pass. */
export const OPEN_RULE: NamespaceRule = rule({ kinds: [...ACTION_TYPES], mode: 'auto' });

export function rule(overrides: Record<string, unknown>): NamespaceRule {
  const parsed = parsePolicy({
    version: 1,
    namespaces: [
      {
        match: 'shop',
        bounds: { memory: { max: '4Gi', maxFactor: 16 }, cpu: { max: '8' }, replicas: { min: 1, max: 100 } },
        ...overrides,
      },
    ],
  });
  if (parsed.kind === 'refused') throw new Error(JSON.stringify(parsed.problems));
  const [first] = parsed.policy.namespaces;
  if (first === undefined) throw new Error('expected one rule');
  return first;
}

const NOW = new Date('2026-03-01T12:00:00Z');
const WORKLOAD = { kind: 'Deployment', namespace: 'shop', name: 'checkout' };

export const REQUESTS: readonly AnyActionRequest[] = [
  {
    type: 'RollbackWorkload',
    workload: WORKLOAD,
    target: { ...WORKLOAD, uid: 'u' },
    params: { fromRevision: 3, toRevision: 2 },
  },
  {
    type: 'RestartPod',
    workload: WORKLOAD,
    target: { kind: 'Pod', namespace: 'shop', name: 'p', uid: 'u' },
    params: {},
  },
  { type: 'RolloutRestart', workload: WORKLOAD, target: { ...WORKLOAD, uid: 'u' }, params: {} },
  {
    type: 'ScaleWorkload',
    workload: WORKLOAD,
    target: { ...WORKLOAD, uid: 'u' },
    params: { fromReplicas: 4, toReplicas: 2 },
  },
  {
    type: 'ScaleWorkload',
    workload: WORKLOAD,
    target: { ...WORKLOAD, uid: 'u' },
    params: { fromReplicas: 4, toReplicas: 6 },
  },
  {
    type: 'PatchResources',
    workload: WORKLOAD,
    target: { ...WORKLOAD, uid: 'u' },
    params: { container: 'app', memoryLimitBytes: 2 ** 28 },
  },
  {
    type: 'DeleteStuckJob',
    workload: { kind: 'Job', namespace: 'shop', name: 'j' },
    target: { kind: 'Job', namespace: 'shop', name: 'j', uid: 'u' },
    params: {},
  },
];

export function gitOpsOwner(selfHeal: GitOpsOwner['selfHeal'], more: Partial<GitOpsOwner> = {}): GitOpsOwner {
  return { tool: 'Argo CD', name: 'Application `argocd/shop`', shownBy: 'a label', selfHeal, ...more };
}

/** The same action in another namespace. */
export function inNamespace(request: AnyActionRequest, namespace: string): AnyActionRequest {
  return {
    ...request,
    workload: { ...request.workload, namespace },
    target: { ...request.target, namespace },
  } as AnyActionRequest;
}

/** An input that passes every gate in mode auto; tests break one thing at a time. */
export function goodInput(
  request: AnyActionRequest = REQUESTS[5] as AnyActionRequest,
  overrides: Partial<PolicyInput> = {},
): PolicyInput {
  return {
    undo: false,
    request,
    now: NOW,
    rule: OPEN_RULE,
    selfNamespaces: ['ops'],
    protectedLabels: { tier: 'gold' },
    healthLimits: { maxUnreadyPods: 0.3, maxUnreadyNodes: 0.25 },
    mode: { effective: 'auto', setBy: { arm: 'database', mode: 'auto', why: 'agent_mode is auto' } },
    emergencyStop: { on: false, why: 'off' },
    runawayLatch: { on: false, why: 'off' },
    incident: { clusterKnown: true, isSelf: false, causedByOther: false },
    finding: { certainty: 'proven', grounded: true, revision: 3 },
    namespaceLabels: known({ 'hephaisto.io/actions': 'allowed' }),
    target: known({ labels: {}, annotations: {}, ready: false, memoryLimitBytes: 2 ** 27, cpuLimitMillis: 500 }),
    workload: known({ labels: {}, annotations: {}, replicas: 4, ready: 3, rolloutInFlight: false, currentRevision: 3 }),
    gitOps: known([]),
    youngestPodSeconds: known(600),
    clusterHealth: known({ pods: 40, unreadyPods: 2, nodes: 3, unreadyNodes: 0 }),
    maintenance: known(undefined),
    quarantine: known(undefined),
    cooldownUntil: known(undefined),
    budgets: known([{ name: 'actions_hour', scope: 'installation', used: 0, limit: 10, windowSeconds: 3600 }]),
    approval: { by: [], covers: [] },
    ...overrides,
  };
}

/** A fact that mostly holds, sometimes does not, and sometimes could not be read. */
function fact<T>(...values: readonly [T, ...T[]]): fc.Arbitrary<Known<T>> {
  return fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...values).map(known) },
    { weight: 1, arbitrary: fc.constant(unknown('timeout')) },
  );
}

function mostly<T>(good: T, ...others: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof({ weight: 16, arbitrary: fc.constant(good) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
}

/** Inputs of every shape, most of them one or two faults away from being allowed, since far-off ones are all denied alike. */
export const anyInput: fc.Arbitrary<PolicyInput> = fc.record({
  undo: mostly(false, true),
  request: fc
    .tuple(fc.constantFrom(...REQUESTS), mostly('shop', 'istio-system'))
    .map(([request, namespace]) => inNamespace(request, namespace)),
  now: fc.constant(NOW),
  rule: mostly<NamespaceRule | undefined>(
    OPEN_RULE,
    undefined,
    rule({ kinds: ['RestartPod'], mode: 'auto' }),
    rule({ kinds: [...ACTION_TYPES], mode: 'auto', quorum: 2 }),
    rule({ kinds: [...ACTION_TYPES], mode: 'auto', maxPods: 1, maxFraction: 0.2 }),
  ),
  selfNamespaces: mostly<readonly string[]>(['ops'], ['shop']),
  protectedLabels: fc.constant({}),
  healthLimits: fc.constant({ maxUnreadyPods: 0.3, maxUnreadyNodes: 0.25 }),
  mode: mostly('auto' as const, ...AGENT_MODES).map((effective) => ({
    effective,
    setBy: { arm: 'database' as const, mode: effective, why: 'set' },
  })),
  emergencyStop: mostly(false, true).map((on) => ({ on, why: 'set' })),
  runawayLatch: mostly(false, true).map((on) => ({ on, why: 'set' })),
  incident: fc.record({
    clusterKnown: mostly(true, false),
    isSelf: mostly(false, true),
    causedByOther: mostly(false, true),
  }),
  finding: fc.oneof(
    {
      weight: 9,
      arbitrary: fc.record({
        certainty: mostly('proven' as const, ...CERTAINTIES),
        grounded: mostly(true, false),
        revision: mostly(3, 2),
      }),
    },
    { weight: 1, arbitrary: fc.constant(undefined) },
  ),
  namespaceLabels: fact<Readonly<Record<string, string>>>(
    { 'hephaisto.io/actions': 'allowed' },
    { 'hephaisto.io/actions': 'allowed' },
    {},
  ),
  target: fact(
    { labels: {}, annotations: {}, ready: false, memoryLimitBytes: 2 ** 27, cpuLimitMillis: 500 },
    { labels: {}, annotations: {}, ready: true, memoryLimitBytes: 2 ** 27, cpuLimitMillis: 500 },
  ),
  workload: fc.oneof(
    {
      weight: 9,
      arbitrary: fc
        .record({
          replicas: fc.constantFrom(1, 2, 4, 40, 60),
          ready: fc.constantFrom(0, 1, 3),
          rolloutInFlight: mostly(false, true),
          currentRevision: mostly(3, 2, 4),
        })
        .map((state) => known({ labels: {}, annotations: {}, ...state })),
    },
    { weight: 1, arbitrary: fc.constant(unknown('timeout')) },
  ),
  gitOps: fact<readonly GitOpsOwner[]>(
    [],
    [],
    [],
    [],
    [gitOpsOwner('off')],
    [gitOpsOwner('unknown')],
    [gitOpsOwner('on')],
  ),
  youngestPodSeconds: fact<number | undefined>(600, 600, undefined, 119, 120),
  clusterHealth: fact(
    { pods: 40, unreadyPods: 2, nodes: 3, unreadyNodes: 0 },
    { pods: 40, unreadyPods: 12, nodes: 4, unreadyNodes: 1 },
    { pods: 40, unreadyPods: 13, nodes: 3, unreadyNodes: 0 },
    { pods: 40, unreadyPods: 0, nodes: 3, unreadyNodes: 1 },
  ),
  maintenance: fact<string | undefined>(undefined, undefined, undefined, 'weekend'),
  quarantine: fact<{ until: Date; reason: string } | undefined>(
    undefined,
    undefined,
    { until: new Date(NOW.getTime() - 1), reason: 'over' },
    { until: new Date(NOW.getTime() + 1), reason: 'same act again' },
  ),
  cooldownUntil: fact<Date | undefined>(undefined, undefined, NOW, new Date(NOW.getTime() + 1)),
  budgets: fc.oneof(
    {
      weight: 9,
      arbitrary: mostly(0, 9, 10, 11).map((used) =>
        known([{ name: 'actions_hour', scope: 'installation', used, limit: 10, windowSeconds: 3600 }]),
      ),
    },
    { weight: 1, arbitrary: fc.constantFrom(unknown('timeout'), known([])) },
  ),
  approval: fc.record({
    by: mostly<readonly string[]>([], ['person:ada'], ['person:ada', 'person:ada'], ['person:ada', 'person:bob']),
    covers: fc.subarray([...GATES]),
  }),
});
