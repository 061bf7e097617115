import type { Certainty } from '@hephaisto/core/finding/finding';
import type {
  EscalationReason,
  IncidentState,
  ResolutionSource,
  RollbackSubReason,
  SuppressedReason,
} from '@hephaisto/core/incident/machine';
import { TERMINAL_INCIDENT_STATES } from '@hephaisto/core/incident/machine';
import type { IncidentSummary } from '@hephaisto/core/report/incident';
import { nextStep } from '@hephaisto/core/report/next-step';
import { recoveryOf } from '@hephaisto/core/report/recovery';
import type { Severity, SignalKind } from '@hephaisto/core/signal/kind';
import { type ActionShape, iso, person, titleOf } from './rows.ts';

/** A row of `SUMMARY_SELECT`. */
export interface SummaryRow {
  readonly id: string;
  readonly number: number;
  readonly version: number;
  readonly cluster: string;
  readonly cluster_name: string;
  readonly cluster_known: boolean;
  readonly kind: SignalKind;
  readonly title: string;
  readonly severity: Severity;
  readonly state: IncidentState;
  readonly state_since: Date;
  readonly seconds_in_state: number;
  readonly age_seconds: number;
  readonly suppressed_reason: SuppressedReason | null;
  readonly escalation_reason: EscalationReason | null;
  readonly rollback_sub_reason: RollbackSubReason | null;
  readonly resolution_source: ResolutionSource | null;
  readonly resolution_note: string | null;
  readonly namespace: string | null;
  readonly owner_kind: string | null;
  readonly owner_name: string | null;
  readonly node_name: string | null;
  readonly occurrences: number;
  readonly signal_count: number;
  readonly firing: number;
  readonly unobserved: number;
  readonly ended_well: number;
  readonly lacks_replicas: boolean | null;
  readonly first_signal_at: Date;
  readonly last_signal_at: Date;
  readonly quiet_since: Date | null;
  readonly created_at: Date;
  readonly closed_at: Date | null;
  readonly acknowledged_by: string | null;
  readonly acknowledged_name: string | null;
  readonly acknowledged_at: Date | null;
  readonly assigned_to: string | null;
  readonly assigned_name: string | null;
  readonly is_self: boolean;
  readonly is_meta: boolean;
  readonly investigation_state: string | null;
  readonly gap_count: number | null;
  readonly finding_id: string | null;
  readonly finding_certainty: Certainty | null;
  readonly finding_statement: string | null;
  readonly finding_rule: string | null;
  readonly evidence_count: number | null;
  readonly proposal: (ActionShape & ProposalBriefRow) | null;
}

interface ProposalBriefRow {
  readonly id: string;
  readonly revision: number;
  readonly digest: string;
  readonly state: string;
  readonly risk: string;
  readonly quorum: number;
  readonly approvals: number;
  readonly expires_at: string;
  readonly seconds_left: number | null;
}

/** Everything a list shows of an incident, in one statement. The caller appends WHERE, ORDER BY and LIMIT. */
export const SUMMARY_SELECT = `
  SELECT i.id, i.number, i.version, i.cluster, c.display_name AS cluster_name, c.is_local AS cluster_known, i.kind, i.title, i.severity,
    i.state, i.state_since, i.suppressed_reason, i.escalation_reason, i.rollback_sub_reason, i.resolution_source, i.resolution_note,
    i.namespace, i.owner_kind, i.owner_name, i.node_name, i.first_signal_at, i.last_signal_at, i.quiet_since, i.created_at, i.closed_at,
    i.acknowledged_by, ack.display_name AS acknowledged_name, i.acknowledged_at, i.assigned_to, asg.display_name AS assigned_name,
    i.is_self, i.is_meta,
    greatest(0, floor(extract(epoch FROM app_now() - i.state_since)))::int AS seconds_in_state,
    greatest(0, floor(extract(epoch FROM coalesce(i.closed_at, app_now()) - i.first_signal_at)))::int AS age_seconds,
    s.occurrences, s.signal_count, s.firing, s.unobserved, s.ended_well, w.lacks_replicas,
    n.state AS investigation_state, n.gap_count, f.id AS finding_id, f.certainty AS finding_certainty,
    f.statement AS finding_statement, f.rule AS finding_rule, f.evidence_count, p.brief AS proposal
  FROM incidents i
  JOIN clusters c ON c.id = i.cluster
  LEFT JOIN principals ack ON ack.subject = i.acknowledged_by
  LEFT JOIN principals asg ON asg.subject = i.assigned_to
  LEFT JOIN LATERAL (
    SELECT coalesce(sum(x.occurrences), 0)::int AS occurrences, count(*)::int AS signal_count,
      (count(*) FILTER (WHERE x.status = 'firing'))::int AS firing,
      (count(*) FILTER (WHERE x.status = 'unknown'))::int AS unobserved,
      (count(*) FILTER (WHERE x.status = 'resolved' AND (x.source <> 'k8s' OR x.payload->>'end' = 'recovered')))::int AS ended_well
    FROM signals x WHERE x.incident_id = i.id) s ON true
  LEFT JOIN LATERAL (
    SELECT x.ready < x.desired AS lacks_replicas FROM workload_samples x
    WHERE x.cluster = i.cluster AND x.namespace = i.namespace AND x.kind = i.owner_kind AND x.name = i.owner_name
    ORDER BY x.at DESC LIMIT 1) w ON true
  LEFT JOIN LATERAL (
    SELECT x.id, x.state, jsonb_array_length(x.gaps) AS gap_count
    FROM investigations x WHERE x.incident_id = i.id ORDER BY x.attempt DESC LIMIT 1) n ON true
  LEFT JOIN LATERAL (
    SELECT x.id, x.certainty, x.statement, x.rule,
      (SELECT count(*)::int FROM finding_evidence e WHERE e.finding_id = x.id AND e.accepted) AS evidence_count
    FROM findings x WHERE x.investigation_id = n.id AND x.is_primary AND x.status = 'grounded' LIMIT 1) f ON true
  LEFT JOIN LATERAL (
    SELECT jsonb_build_object('id', x.id, 'revision', x.revision, 'digest', x.digest, 'state', x.state, 'risk', a.risk,
      'quorum', x.quorum, 'expires_at', x.expires_at,
      'seconds_left', CASE WHEN x.state = 'Open' THEN greatest(0, floor(extract(epoch FROM x.expires_at - app_now())))::int END,
      'approvals', (SELECT count(DISTINCT person_of(v.actor)) FROM approvals v WHERE v.proposal_id = x.id AND v.decision = 'approve'),
      'type', a.type, 'params', a.params, 'workload_kind', a.workload_kind, 'workload_namespace', a.workload_namespace,
      'workload_name', a.workload_name, 'target_kind', a.target_kind, 'target_namespace', a.target_namespace,
      'target_name', a.target_name, 'target_uid', a.target_uid) AS brief
    FROM proposals x JOIN actions a ON a.id = x.action_id
    WHERE a.incident_id = i.id ORDER BY x.created_at DESC, x.revision DESC LIMIT 1) p ON true`;

export function summaryOf(row: SummaryRow): IncidentSummary {
  const proposal = briefOf(row.proposal);
  const recovery = openRecovery(row);
  return {
    id: row.id,
    number: row.number,
    version: row.version,
    cluster: { id: row.cluster, name: row.cluster_name, known: row.cluster_known },
    kind: row.kind,
    title: row.title,
    severity: row.severity,
    state: row.state,
    stateSince: iso(row.state_since),
    secondsInState: row.seconds_in_state,
    ageSeconds: row.age_seconds,
    open: !TERMINAL_INCIDENT_STATES.includes(row.state),
    suppressedReason: row.suppressed_reason,
    escalationReason: row.escalation_reason,
    rollbackSubReason: row.rollback_sub_reason,
    resolutionSource: row.resolution_source,
    resolutionNote: row.resolution_note,
    namespace: row.namespace,
    ownerKind: row.owner_kind,
    ownerName: row.owner_name,
    nodeName: row.node_name,
    occurrences: row.occurrences,
    signalCount: row.signal_count,
    firing: row.firing,
    firstSignalAt: iso(row.first_signal_at),
    lastSignalAt: iso(row.last_signal_at),
    quietSince: iso(row.quiet_since),
    recovery,
    openedAt: iso(row.created_at),
    closedAt: iso(row.closed_at),
    acknowledgedBy: person(row.acknowledged_by, row.acknowledged_name),
    acknowledgedAt: iso(row.acknowledged_at),
    assignedTo: person(row.assigned_to, row.assigned_name),
    isSelf: row.is_self,
    isMeta: row.is_meta,
    verdict: verdictOf(row),
    proposal,
    nextStep: nextStep({
      state: row.state,
      escalationReason: row.escalation_reason,
      suppressedReason: row.suppressed_reason,
      resolutionSource: row.resolution_source,
      rollbackSubReason: row.rollback_sub_reason,
      assignedTo: row.assigned_name ?? row.assigned_to,
      recovered: recovery?.state === 'recovered',
      proposal,
    }),
  };
}

/** Null once the incident is over: its state says how it ended. */
function openRecovery(row: SummaryRow): IncidentSummary['recovery'] {
  if (TERMINAL_INCIDENT_STATES.includes(row.state)) return null;
  const state = recoveryOf({
    firing: row.firing,
    unobserved: row.unobserved,
    endedWell: row.ended_well,
    lacksReplicas: row.lacks_replicas ?? undefined,
  });
  return { state, since: state === 'failing' ? null : iso(row.quiet_since) };
}

/** Null while nobody has concluded anything; a look that ended without a grounded cause says so instead of staying silent. */
function verdictOf(row: SummaryRow): IncidentSummary['verdict'] {
  if (row.finding_id !== null) {
    return {
      certainty: row.finding_certainty ?? 'not_established',
      statement: row.finding_statement ?? '',
      findingId: row.finding_id,
      rule: row.finding_rule,
      evidence: row.evidence_count ?? 0,
      gaps: row.gap_count ?? 0,
    };
  }
  if (row.investigation_state === null || ['Queued', 'Running'].includes(row.investigation_state)) return null;
  return {
    certainty: 'not_established',
    statement: 'no cause was established from what could be read',
    findingId: null,
    rule: null,
    evidence: 0,
    gaps: row.gap_count ?? 0,
  };
}

function briefOf(row: SummaryRow['proposal']): IncidentSummary['proposal'] {
  if (row === null) return null;
  return {
    id: row.id,
    revision: row.revision,
    digest: row.digest,
    state: row.state,
    type: row.type,
    title: titleOf(row),
    risk: row.risk,
    quorum: row.quorum,
    approvals: row.approvals,
    expiresAt: new Date(row.expires_at).toISOString(),
    secondsLeft: row.seconds_left,
  };
}
