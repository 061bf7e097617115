import { blastRadius } from '@hephaisto/core/action/catalogue';
import type { DecisionKind } from '../decide.ts';
import type { Known, PolicyInput } from '../input.ts';
import { systemPatternOf } from '../namespaces.ts';

/**
 * The policy on one screen, written for reading and not for explaining itself: what forbids, what needs a person, and nothing else. `decide` must agree with it on
 * every input. Bounds of amounts and marks on objects are left to their own tests; the generator keeps them clear.
 */
export function model(input: PolicyInput): DecisionKind {
  const { request, rule, incident, finding, approval, now } = input;
  const kind = request.type;
  const hardStop =
    !incident.clusterKnown ||
    input.selfNamespaces.includes(request.target.namespace) ||
    request.target.namespace === 'kube-system' ||
    incident.isSelf ||
    input.emergencyStop.on ||
    !input.target.known ||
    !input.workload.known;
  if (hardStop) return 'Deny';
  if (input.undo) return 'Allow';
  if (rule === undefined || !rule.kinds.includes(kind)) return 'Deny';
  if (!input.workload.known || !input.target.known) return 'Deny';

  const { replicas, ready, rolloutInFlight, currentRevision } = input.workload.value;
  const { pods, of } = blastRadius(request, replicas);
  const rollback = kind === 'RollbackWorkload';
  const job = kind === 'DeleteStuckJob';
  const restart = kind === 'RestartPod' || kind === 'RolloutRestart';
  const share = of > 1 && pods / of > rule.maxFraction;
  const forbids = [
    incident.causedByOther,
    unless(input.namespaceLabels, (labels) => labels['hephaisto.io/actions'] === 'allowed'),
    ['off', 'observe', 'dryrun'].includes(input.mode.effective),
    unless(input.quarantine, (value) => value === undefined || value.until <= now),
    finding?.grounded !== true,
    finding?.certainty !== 'proven' && finding?.certainty !== 'likely',
    rollback &&
      (currentRevision === undefined || (finding?.revision ?? request.params.fromRevision) !== currentRevision),
    rolloutInFlight && !rollback && !job,
    !rollback && unless(input.youngestPodSeconds, (age) => age === undefined || age >= rule.podAge / 1000),
    unless(input.maintenance, (window) => window === undefined),
    !input.clusterHealth.known,
    !restart && !input.gitOps.known,
    !restart && !job && heals(input.gitOps),
    share && (kind === 'RestartPod' || kind === 'ScaleWorkload'),
    kind === 'ScaleWorkload' && request.params.toReplicas < request.params.fromReplicas && ready <= 1,
    unless(input.cooldownUntil, (until) => until === undefined || until <= now),
    !input.budgets.known || input.budgets.value.length === 0,
  ];
  if (forbids.includes(true)) return 'Deny';

  const aboutUs =
    input.mode.effective !== 'auto' ||
    input.runawayLatch.on ||
    finding?.certainty !== 'proven' ||
    (input.budgets.known && input.budgets.value.some(({ used, limit }) => used >= limit)) ||
    job;
  const aboutTheWorld = [
    ['GitOpsOwner', !restart && input.gitOps.known && input.gitOps.value.length > 0],
    ['GitOpsSelfHeal', job && heals(input.gitOps)],
    ['SystemNamespace', systemPatternOf(request.target.namespace) !== undefined],
    [
      'ClusterHealthFloor',
      unless(input.clusterHealth, (h) => h.unreadyPods <= h.pods * 0.3 && h.unreadyNodes <= h.nodes * 0.25),
    ],
    ['BlastRadiusPods', pods > rule.maxPods && kind !== 'RestartPod' && !job],
    ['BlastRadiusFraction', share && !rollback && !job],
    ['LastReadyReplica', kind === 'RestartPod' && input.target.value.ready && ready <= 1],
  ] as const;
  const asking = aboutTheWorld.filter(([, asks]) => asks).map(([gate]) => gate);
  if (!aboutUs && asking.length === 0) return 'Allow';
  const agreed = new Set(approval.by).size >= rule.quorum && asking.every((gate) => approval.covers.includes(gate));
  return agreed ? 'Allow' : 'RequireApproval';
}

function heals(owners: PolicyInput['gitOps']): boolean {
  return owners.known && owners.value.some(({ selfHeal }) => selfHeal === 'on');
}

/** True when the fact is missing or does not hold: not knowing forbids. */
function unless<T>(fact: Known<T>, holds: (value: T) => boolean): boolean {
  return !(fact.known && holds(fact.value));
}
