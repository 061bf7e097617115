/** Every gate that an action passes, in the order in which a careful person would ask. The order is also the order of reasons. */
export const GATES = [
  'ForeignCluster',
  'SelfProtection',
  'SelfIncident',
  'UpstreamCause',
  'NamespaceNotAllowed',
  'NamespaceLabel',
  'SystemNamespace',
  'KindNotEnabled',
  'ProtectedObject',
  'GitOpsOwner',
  'GitOpsSelfHeal',
  'EmergencyStop',
  'ModeTooLow',
  'ModeAsks',
  'RunawayLatch',
  'Quarantine',
  'Ungrounded',
  'CertaintyTooLow',
  'CertaintyNotProven',
  'RevisionInFlight',
  'RolloutInFlight',
  'PodTooYoung',
  'MaintenanceWindow',
  'ClusterHealthFloor',
  'BlastRadiusPods',
  'BlastRadiusFraction',
  'LastReadyReplica',
  'OutOfBounds',
  'Cooldown',
  'Budget',
  'NotReversible',
] as const;
export type Gate = (typeof GATES)[number];

/** Gates that are looked at again, on fresh facts, right before the call: what was true at admission may not be any more. */
export const STABILITY_GATES: readonly Gate[] = [
  'GitOpsOwner',
  'RevisionInFlight',
  'RolloutInFlight',
  'PodTooYoung',
  'MaintenanceWindow',
  'ClusterHealthFloor',
  'BlastRadiusPods',
  'BlastRadiusFraction',
  'LastReadyReplica',
];

/** Why a gate does not simply pass. One code may only ever mean one thing; metrics are labelled with them. */
export const GATE_CODES = [
  'foreign_cluster',
  'self_protected',
  'self_incident',
  'upstream_cause',
  'namespace_not_allowed',
  'namespace_label_missing',
  'system_namespace',
  'kind_not_enabled',
  'protected_object',
  'gitops_owned',
  'gitops_self_heal',
  'emergency_stop',
  'agent_off',
  'observe_mode',
  'dryrun_mode',
  'approve_mode',
  'runaway_latch',
  'quarantined',
  'ungrounded',
  'certainty_too_low',
  'certainty_not_proven',
  'revision_moved',
  'rollout_in_flight',
  'pod_too_young',
  'maintenance_window',
  'cluster_unhealthy',
  'blast_radius_pods',
  'blast_radius_fraction',
  'last_ready_replica',
  'out_of_bounds',
  'cooldown',
  'budget_exceeded',
  'not_reversible',
  'unreadable',
  'check_failed',
] as const;
export type GateCode = (typeof GATE_CODES)[number];

/** What may hold a moment later without anybody doing anything: waited for, for a bounded time, before it counts as a no. */
export const MOMENTARY_CODES: readonly GateCode[] = ['unreadable', 'rollout_in_flight', 'pod_too_young'];

/**
 * The same for an action that is already approved or admitted: a cluster that was healthy when the proposal was shown may be healthy again in
 * a moment, and a decision that a person made must not be lost to that moment.
 */
export const MOMENTARY_ONCE_DECIDED: readonly GateCode[] = [...MOMENTARY_CODES, 'cluster_unhealthy'];

export const GATE_VERDICTS = ['pass', 'exempt', 'ask', 'deny'] as const;
export type GateVerdict = (typeof GATE_VERDICTS)[number];

/** One gate's answer as it is stored and shown. `measured` is what was seen, beside what was wanted. */
export interface GateResult {
  readonly gate: Gate;
  readonly verdict: GateVerdict;
  /** `ok` where nothing stands in the way. */
  readonly code: GateCode | 'ok';
  readonly message: string;
  readonly measured?: Readonly<Record<string, string | number | boolean>>;
}

/** A check's word, before the table says how much it weighs for the kind of action. */
export type CheckResult =
  | { readonly kind: 'clear'; readonly message: string; readonly measured?: GateResult['measured'] }
  | {
      readonly kind: 'violated';
      readonly code: GateCode;
      readonly message: string;
      readonly measured?: GateResult['measured'];
    }
  /** What the check needs could not be read. Denies wherever the gate is not exempt. */
  | { readonly kind: 'unknown'; readonly message: string };
