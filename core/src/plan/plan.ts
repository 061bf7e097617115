import { ACTION_KINDS, byHandCommands, describeAction, parseAction } from '../action/catalogue.ts';
import type { AnyActionRequest, Risk } from '../action/types.ts';
import type { Cause, Certainty } from '../finding/finding.ts';
import type { EscalationReason } from '../incident/machine.ts';
import { commandsFor } from './commands.ts';
import { proposeFor } from './propose.ts';
import type { NoPlanReason, PlanBounds } from './vocabulary.ts';

/** A checked finding as the planner sees it. */
export interface PlannableFinding {
  readonly id: string;
  readonly statement: string;
  readonly certainty: Certainty;
  readonly cause: Cause;
  readonly primary: boolean;
  readonly status: 'grounded' | 'dropped';
}

export type Plan =
  | {
      readonly kind: 'action';
      readonly request: AnyActionRequest;
      readonly risk: Risk;
      readonly citedFindings: readonly string[];
      readonly reason: 'planned';
      readonly message: string;
      readonly commands: readonly string[];
    }
  | {
      readonly kind: 'none';
      readonly reason: NoPlanReason;
      readonly escalation: EscalationReason;
      readonly citedFindings: readonly string[];
      readonly message: string;
      /** What a person would run. */
      readonly commands: readonly string[];
    };

export function none(
  reason: NoPlanReason,
  message: string,
  details: { readonly findings?: readonly string[]; readonly commands?: readonly string[] } = {},
): Plan {
  return {
    kind: 'none',
    reason,
    escalation: ESCALATION[reason],
    citedFindings: details.findings ?? [],
    message,
    commands: details.commands ?? [],
  };
}

const ESCALATION: Readonly<Record<NoPlanReason, EscalationReason>> = {
  'no-finding': 'LowConfidence',
  'grounding-rejected': 'GroundingRejected',
  'certainty-too-low': 'LowConfidence',
  'upstream-cause': 'UpstreamCause',
  'no-safe-action': 'NoPlanProduced',
  'needs-person:image': 'NoPlanProduced',
  'needs-person:configuration': 'NoPlanProduced',
  'needs-person:capacity': 'NoPlanProduced',
  'needs-person:application': 'NoPlanProduced',
  'needs-person:node': 'NoPlanProduced',
  'rollout-paused': 'NoPlanProduced',
  'target-not-observed': 'NoPlanProduced',
  'out-of-bounds': 'NoPlanProduced',
  'invalid-action': 'NoPlanProduced',
  'planner-chose-none': 'NoPlanProduced',
  'planner-truncated': 'PlannerTruncated',
  'target-not-cited': 'NoPlanProduced',
  'not-from-finding': 'NoPlanProduced',
  unreadable: 'NoPlanProduced',
};

/** One typed action that follows from the primary finding, or none with the reason and what a person would run instead. */
export function planFromFindings(findings: readonly PlannableFinding[], bounds: PlanBounds): Plan {
  const primary = findings.find((finding) => finding.primary && finding.status === 'grounded');
  if (primary === undefined) return withoutPrimary(findings);
  const cited = { findings: [primary.id], commands: commandsFor(primary.cause, bounds) };
  if (primary.certainty === 'possible' || primary.certainty === 'not_established') {
    return none(
      'certainty-too-low',
      'expected a cause that is at least likely, found one that is only possible',
      cited,
    );
  }
  const proposed = proposeFor(primary.cause, bounds);
  if (proposed.kind === 'none') return none(proposed.reason, proposed.message, cited);
  // The same parser that reads stored and foreign plans: no door has laxer rules than another.
  const parsed = parseAction(proposed.request.type, proposed.request, proposed.request.params);
  if (parsed.kind === 'refused') return none('invalid-action', parsed.message, cited);
  const { request } = parsed;
  return {
    kind: 'action',
    request,
    risk: ACTION_KINDS[request.type].risk,
    citedFindings: [primary.id],
    reason: 'planned',
    message: describeAction(request),
    commands: byHandCommands(request),
  };
}

function withoutPrimary(findings: readonly PlannableFinding[]): Plan {
  const claims = findings.filter(({ cause }) => cause.kind !== 'refuted');
  if (claims.length > 0 && claims.every(({ status }) => status === 'dropped')) {
    return none('grounding-rejected', 'expected quotations that stand in what was read, found none that does', {
      findings: claims.map(({ id }) => id),
    });
  }
  return none('no-finding', 'no cause was established', {});
}
