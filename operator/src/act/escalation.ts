import type { EscalationReason } from '@hephaisto/core/incident/machine';
import type { GateCode } from '@hephaisto/policy/gate';

/** Which word an incident escalates with when policy denied its action; the codes themselves stay on the action. The first that applies says most. */
const REASONS: readonly (readonly [GateCode, EscalationReason])[] = [
  ['agent_off', 'ObserveOnly'],
  ['observe_mode', 'ObserveOnly'],
  ['dryrun_mode', 'ObserveOnly'],
  ['upstream_cause', 'UpstreamCause'],
  ['quarantined', 'Quarantined'],
  ['ungrounded', 'GroundingRejected'],
  ['certainty_too_low', 'LowConfidence'],
];

export function escalationOf(codes: readonly GateCode[]): EscalationReason {
  return REASONS.find(([code]) => codes.includes(code))?.[1] ?? 'PolicyDeny';
}
