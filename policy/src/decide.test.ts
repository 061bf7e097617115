import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { verifies } from '@hephaisto/test/verifies';
import { decide } from './decide.ts';
import type { GateCode } from './gate.ts';
import { known, type PolicyInput, unknown } from './input.ts';
import { gitOpsOwner, goodInput, inNamespace, OPEN_RULE, REQUESTS, rule } from './spec/inputs.fixture.ts';

const [ROLLBACK, RESTART, , SCALE_DOWN, SCALE_UP, PATCH, DELETE_JOB] = REQUESTS as readonly [
  (typeof REQUESTS)[number],
  (typeof REQUESTS)[number],
  (typeof REQUESTS)[number],
  (typeof REQUESTS)[number],
  (typeof REQUESTS)[number],
  (typeof REQUESTS)[number],
  (typeof REQUESTS)[number],
];
const AT = goodInput().now.getTime();
const mode = (effective: 'off' | 'observe' | 'dryrun' | 'approve'): Partial<PolicyInput> => ({
  mode: { effective, setBy: { arm: 'configmap', mode: effective, why: 'set' } },
});
const workload = (state: Record<string, unknown>): Partial<PolicyInput> => ({
  workload: known({
    labels: {},
    annotations: {},
    replicas: 4,
    ready: 3,
    rolloutInFlight: false,
    currentRevision: 3,
    ...state,
  }),
});
const target = (state: Record<string, unknown>): Partial<PolicyInput> => ({
  target: known({ labels: {}, annotations: {}, ready: false, memoryLimitBytes: 2 ** 27, ...state }),
});

type Row = readonly [
  sentence: string,
  request: (typeof REQUESTS)[number],
  change: Partial<PolicyInput>,
  decision: string,
  codes: readonly GateCode[],
];

const ROWS: readonly Row[] = [
  ['everything in order', PATCH, {}, 'Allow', []],
  [
    'a signal of another cluster',
    PATCH,
    { incident: { clusterKnown: false, isSelf: false, causedByOther: false } },
    'Deny',
    ['foreign_cluster'],
  ],
  ['the release namespace under another name', PATCH, { selfNamespaces: ['shop'] }, 'Deny', ['self_protected']],
  [
    'kube-system, whatever the policy names',
    inNamespace(PATCH, 'kube-system'),
    {},
    'Deny',
    ['self_protected', 'system_namespace'],
  ],
  ...['openshift-ingress', 'gke-managed', 'istio-system', 'cert-manager', 'my-operator-system'].map(
    (namespace): Row => [
      `a namespace that usually runs the cluster’s own machinery: ${namespace}`,
      inNamespace(PATCH, namespace),
      {},
      'RequireApproval',
      ['system_namespace'],
    ],
  ),
  [
    'an incident about ourselves',
    PATCH,
    { incident: { clusterKnown: true, isSelf: true, causedByOther: false } },
    'Deny',
    ['self_incident'],
  ],
  [
    'a symptom of another incident',
    PATCH,
    { incident: { clusterKnown: true, isSelf: false, causedByOther: true } },
    'Deny',
    ['upstream_cause'],
  ],
  ['a namespace without the label', PATCH, { namespaceLabels: known({}) }, 'Deny', ['namespace_label_missing']],
  ['a namespace whose labels cannot be read', PATCH, { namespaceLabels: unknown('403') }, 'Deny', ['unreadable']],
  [
    'a kind that is not enabled',
    PATCH,
    { rule: rule({ kinds: ['RestartPod'], mode: 'auto' }) },
    'Deny',
    ['kind_not_enabled'],
  ],
  [
    'an object that a repository declares',
    PATCH,
    { gitOps: known([gitOpsOwner('off')]) },
    'RequireApproval',
    ['gitops_owned'],
  ],
  [
    'an object whose tool may or may not heal by itself',
    PATCH,
    { gitOps: known([gitOpsOwner('unknown')]) },
    'RequireApproval',
    ['gitops_owned'],
  ],
  [
    'a rollback that a tool would take back',
    ROLLBACK,
    { gitOps: known([gitOpsOwner('off'), gitOpsOwner('on')]) },
    'Deny',
    ['gitops_owned', 'gitops_self_heal'],
  ],
  [
    'a job that a tool would make again',
    DELETE_JOB,
    { gitOps: known([gitOpsOwner('on')]) },
    'RequireApproval',
    ['gitops_owned', 'gitops_self_heal', 'not_reversible'],
  ],
  ['a restart of what a repository declares', RESTART, { gitOps: known([gitOpsOwner('on')]) }, 'Allow', []],
  ['an object whose owner cannot be told', PATCH, { gitOps: unknown('timeout') }, 'Deny', ['unreadable', 'unreadable']],
  ['a protected object', PATCH, target({ labels: { 'hephaisto.io/protected': 'true' } }), 'Deny', ['protected_object']],
  ['a label that the policy protects', PATCH, workload({ labels: { tier: 'gold' } }), 'Deny', ['protected_object']],
  [
    'an object to be ignored',
    PATCH,
    target({ annotations: { 'hephaisto.io/ignore': 'true' } }),
    'Deny',
    ['protected_object'],
  ],
  [
    'an object that allows restarts only',
    PATCH,
    target({ annotations: { 'hephaisto.io/max-action': 'restart' } }),
    'Deny',
    ['protected_object'],
  ],
  [
    'an object that allows as much',
    PATCH,
    target({ annotations: { 'hephaisto.io/max-action': 'scale' } }),
    'Allow',
    [],
  ],
  [
    'a limit that nobody can read',
    PATCH,
    target({ annotations: { 'hephaisto.io/max-action': 'everything' } }),
    'Deny',
    ['protected_object'],
  ],
  [
    'a frozen object',
    PATCH,
    target({ annotations: { 'hephaisto.io/freeze-until': '2026-03-01T12:00:01Z' } }),
    'Deny',
    ['protected_object'],
  ],
  [
    'a freeze that is over',
    PATCH,
    target({ annotations: { 'hephaisto.io/freeze-until': '2026-03-01T12:00:00Z' } }),
    'Allow',
    [],
  ],
  [
    'a freeze that nobody can read',
    PATCH,
    target({ annotations: { 'hephaisto.io/freeze-until': 'soon' } }),
    'Deny',
    ['protected_object'],
  ],
  ['the emergency stop', PATCH, { emergencyStop: { on: true, why: 'set' } }, 'Deny', ['emergency_stop']],
  ['mode off', PATCH, mode('off'), 'Deny', ['agent_off', 'approve_mode']],
  ['mode observe', PATCH, mode('observe'), 'Deny', ['observe_mode', 'approve_mode']],
  ['mode dryrun', PATCH, mode('dryrun'), 'Deny', ['dryrun_mode', 'approve_mode']],
  ['mode approve', PATCH, mode('approve'), 'RequireApproval', ['approve_mode']],
  ['the runaway latch', PATCH, { runawayLatch: { on: true, why: 'set' } }, 'RequireApproval', ['runaway_latch']],
  ['a quarantine', PATCH, { quarantine: known({ until: new Date(AT + 1), reason: 'again' }) }, 'Deny', ['quarantined']],
  ['a quarantine that ends now', PATCH, { quarantine: known({ until: new Date(AT), reason: 'again' }) }, 'Allow', []],
  ['no grounded finding', PATCH, { finding: { certainty: 'proven', grounded: false } }, 'Deny', ['ungrounded']],
  [
    'a possible cause',
    PATCH,
    { finding: { certainty: 'possible', grounded: true } },
    'Deny',
    ['certainty_too_low', 'certainty_not_proven'],
  ],
  [
    'a likely cause',
    PATCH,
    { finding: { certainty: 'likely', grounded: true } },
    'RequireApproval',
    ['certainty_not_proven'],
  ],
  ['a rollback while its rollout is under way', ROLLBACK, workload({ rolloutInFlight: true, ready: 0 }), 'Allow', []],
  ['a rollback of another revision', ROLLBACK, workload({ currentRevision: 4 }), 'Deny', ['revision_moved']],
  ['a resource change during a rollout', PATCH, workload({ rolloutInFlight: true }), 'Deny', ['rollout_in_flight']],
  ['a pod of 119 seconds', PATCH, { youngestPodSeconds: known(119) }, 'Deny', ['pod_too_young']],
  ['a pod of 121 seconds', PATCH, { youngestPodSeconds: known(121) }, 'Allow', []],
  ['a young pod under a rollback', ROLLBACK, { youngestPodSeconds: known(1) }, 'Allow', []],
  ['a maintenance window', PATCH, { maintenance: known('weekend') }, 'Deny', ['maintenance_window']],
  [
    '31 % of pods not ready',
    PATCH,
    { clusterHealth: known({ pods: 100, unreadyPods: 31, nodes: 3, unreadyNodes: 0 }) },
    'RequireApproval',
    ['cluster_unhealthy'],
  ],
  [
    '30 % of pods not ready',
    PATCH,
    { clusterHealth: known({ pods: 100, unreadyPods: 30, nodes: 3, unreadyNodes: 0 }) },
    'Allow',
    [],
  ],
  [
    'a third of the nodes not ready',
    PATCH,
    { clusterHealth: known({ pods: 9, unreadyPods: 0, nodes: 3, unreadyNodes: 1 }) },
    'RequireApproval',
    ['cluster_unhealthy'],
  ],
  ['unreadable health', PATCH, { clusterHealth: unknown('timeout') }, 'Deny', ['unreadable']],
  ['a large workload', PATCH, workload({ replicas: 60, ready: 60 }), 'RequireApproval', ['blast_radius_pods']],
  [
    'a restart that is all of the workload’s serving half',
    RESTART,
    { ...workload({ replicas: 2, ready: 1 }), ...target({ ready: true }), rule: { ...OPEN_RULE, maxFraction: 0.4 } },
    'Deny',
    ['blast_radius_fraction', 'last_ready_replica'],
  ],
  [
    'a restart of the only serving pod',
    RESTART,
    { ...workload({ ready: 1 }), ...target({ ready: true }) },
    'RequireApproval',
    ['last_ready_replica'],
  ],
  ['a restart of a pod that does not serve', RESTART, workload({ ready: 1 }), 'Allow', []],
  ['scaling down to half', SCALE_DOWN, {}, 'Allow', []],
  ['scaling the last pod away', SCALE_DOWN, workload({ ready: 1 }), 'Deny', ['last_ready_replica']],
  [
    'scaling up beyond the bounds',
    SCALE_UP,
    { rule: rule({ kinds: ['ScaleWorkload'], mode: 'auto', bounds: { replicas: { min: 1, max: 5 } } }) },
    'Deny',
    ['out_of_bounds'],
  ],
  [
    'scaling where no bounds are named',
    SCALE_UP,
    { rule: rule({ kinds: ['ScaleWorkload'], mode: 'auto', bounds: {} }) },
    'Deny',
    ['out_of_bounds'],
  ],
  [
    'memory beyond the bound',
    PATCH,
    { rule: rule({ kinds: ['PatchResources'], mode: 'auto', bounds: { memory: { max: '200Mi' } } }) },
    'Deny',
    ['out_of_bounds'],
  ],
  [
    'memory beyond the factor',
    PATCH,
    {
      ...target({ memoryLimitBytes: 2 ** 26 }),
      rule: rule({ kinds: ['PatchResources'], mode: 'auto', bounds: { memory: { max: '1Gi', maxFactor: 2 } } }),
    },
    'Deny',
    ['out_of_bounds'],
  ],
  [
    'memory where no bound is named',
    PATCH,
    { rule: rule({ kinds: ['PatchResources'], mode: 'auto', bounds: {} }) },
    'Deny',
    ['out_of_bounds'],
  ],
  ['a cooldown', PATCH, { cooldownUntil: known(new Date(AT + 1000)) }, 'Deny', ['cooldown']],
  ['a cooldown that ends now', PATCH, { cooldownUntil: known(new Date(AT)) }, 'Allow', []],
  [
    'a used-up budget',
    PATCH,
    { budgets: known([{ name: 'actions_hour', scope: 'installation', used: 10, limit: 10, windowSeconds: 3600 }]) },
    'RequireApproval',
    ['budget_exceeded'],
  ],
  ['no budget at all', PATCH, { budgets: known([]) }, 'Deny', ['unreadable']],
  ['what cannot be taken back', DELETE_JOB, {}, 'RequireApproval', ['not_reversible']],
  [
    'three gates at once, told in order',
    PATCH,
    { namespaceLabels: known({}), maintenance: known('weekend'), finding: { certainty: 'proven', grounded: false } },
    'Deny',
    ['namespace_label_missing', 'ungrounded', 'maintenance_window'],
  ],
];

describe('decide', () => {
  for (const [sentence, request, change, decision, codes] of ROWS)
    it(`${sentence}: ${decision}`, () => {
      verifies('H3-53', 'H3-54');
      const decided = decide(goodInput(request, change));
      assert.deepEqual([decided.decision, decided.codes], [decision, codes]);
      for (const { message } of decided.gates) assert.ok(message.length > 0);
    });

  it('lets an approval cover only what its proposal showed', () => {
    const seen = goodInput(PATCH, mode('approve'));
    const by = ['person:ada'];
    assert.equal(decide({ ...seen, approval: { by, covers: [] } }).decision, 'Allow');
    const worse = { ...seen, clusterHealth: known({ pods: 10, unreadyPods: 9, nodes: 3, unreadyNodes: 0 }) };
    assert.equal(decide({ ...worse, approval: { by, covers: [] } }).decision, 'RequireApproval');
    assert.equal(decide({ ...worse, approval: { by, covers: ['ClusterHealthFloor'] } }).decision, 'Allow');
  });

  it('counts distinct people against the quorum', () => {
    const two = goodInput(PATCH, { ...mode('approve'), rule: { ...OPEN_RULE, quorum: 2 } });
    const decisions = [[], ['person:ada'], ['person:ada', 'person:ada'], ['person:ada', 'person:bob']].map(
      (by) => decide({ ...two, approval: { by, covers: [] } }).decision,
    );
    assert.deepEqual(decisions, ['RequireApproval', 'RequireApproval', 'RequireApproval', 'Allow']);
  });
});
