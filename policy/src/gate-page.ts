import { GATES, type Gate, type GateCode } from './gate.ts';
import { SYSTEM_NAMESPACES } from './namespaces.ts';
import { type Cell, GATE_TABLE, SUBJECTS } from './table.ts';

const WORDS: Readonly<Record<Cell['weight'], string>> = { deny: 'deny', ask: 'ask', exempt: '–' };

/** With which codes each gate answers when its condition is violated. */
export const CODES_OF: Readonly<Record<Gate, readonly GateCode[]>> = {
  ForeignCluster: ['foreign_cluster'],
  SelfProtection: ['self_protected'],
  SelfIncident: ['self_incident'],
  UpstreamCause: ['upstream_cause'],
  NamespaceNotAllowed: ['namespace_not_allowed'],
  NamespaceLabel: ['namespace_label_missing'],
  SystemNamespace: ['system_namespace'],
  KindNotEnabled: ['kind_not_enabled'],
  ProtectedObject: ['protected_object'],
  GitOpsOwner: ['gitops_owned'],
  GitOpsSelfHeal: ['gitops_self_heal'],
  EmergencyStop: ['emergency_stop'],
  ModeTooLow: ['agent_off', 'observe_mode', 'dryrun_mode'],
  ModeAsks: ['approve_mode'],
  RunawayLatch: ['runaway_latch'],
  Quarantine: ['quarantined'],
  Ungrounded: ['ungrounded'],
  CertaintyTooLow: ['certainty_too_low'],
  CertaintyNotProven: ['certainty_not_proven'],
  RevisionInFlight: ['revision_moved'],
  RolloutInFlight: ['rollout_in_flight'],
  PodTooYoung: ['pod_too_young'],
  MaintenanceWindow: ['maintenance_window'],
  ClusterHealthFloor: ['cluster_unhealthy'],
  BlastRadiusPods: ['blast_radius_pods'],
  BlastRadiusFraction: ['blast_radius_fraction'],
  LastReadyReplica: ['last_ready_replica'],
  OutOfBounds: ['out_of_bounds'],
  Cooldown: ['cooldown'],
  Budget: ['budget_exceeded'],
  NotReversible: ['not_reversible'],
};
/** Any gate's own: what it needs could not be read, or it erred. */
export const CODES_OF_ALL: readonly GateCode[] = ['unreadable', 'check_failed'];

/** The reference of gates: what each weighs for each kind of action, and why. */
export function gatePage(): string {
  const head = ['gate', ...SUBJECTS, 'codes'];
  const rows = GATES.map((gate) => {
    const { cells } = GATE_TABLE[gate];
    return [gate, ...SUBJECTS.map((subject) => WORDS[cells[subject].weight]), quoted(CODES_OF[gate])];
  });
  return [
    '# Gates',
    '',
    'Every action passes every gate, in this order. A gate whose condition is violated forbids the action (deny), needs a person (ask), or is',
    'not asked of that kind (–). What a gate needs and cannot read counts as violated, except where it is not asked. `Inverse` is the stored',
    `undo of any kind. Decisions, escalations and metrics carry the codes; any gate may answer ${quoted(CODES_OF_ALL)} besides its own, when what it`,
    'needs could not be read or when it erred.',
    '',
    table(head, rows),
    '',
    '## System namespaces',
    '',
    'The gate `SystemNamespace` asks in namespaces that match one of these patterns. A rule of the policy must name them all the same.',
    '',
    SYSTEM_NAMESPACES.map((pattern) => `\`${pattern}\``).join(', '),
    '',
    '## Why',
    '',
    ...GATES.flatMap((gate) => [`### ${gate}`, '', ...reasons(gate), '']),
  ].join('\n');
}

function quoted(codes: readonly GateCode[]): string {
  return codes.map((code) => `\`${code}\``).join(', ');
}

function reasons(gate: Gate): readonly string[] {
  const byReason = new Map<string, string[]>();
  for (const subject of SUBJECTS) {
    const { weight, reason } = GATE_TABLE[gate].cells[subject];
    const key = `${weight}: ${reason}`;
    byReason.set(key, [...(byReason.get(key) ?? []), subject]);
  }
  return [...byReason].map(
    ([reason, subjects]) => `- ${subjects.length === SUBJECTS.length ? 'all' : subjects.join(', ')} — ${reason}`,
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
