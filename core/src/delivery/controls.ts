import type { IncidentState } from '../incident/machine.ts';

/** How much a channel may say. Milliseconds. */
export interface NotifyLimits {
  readonly cooldownMs: number;
  readonly windowMs: number;
  readonly perWindow: number;
}

export interface NotifyFacts {
  readonly to: IncidentState;
  /** Nothing was ever said about the workload. */
  readonly firstForWorkload: boolean;
  /** Nothing of this state was said about this incident yet. */
  readonly firstForIncidentState: boolean;
  /** Since the last message about the workload that entered the same state; absent when there was none. */
  readonly sinceSameMs: number | undefined;
  /** Messages that the channel sent within the window. */
  readonly sentInWindow: number;
}

export type NotifyVerdict =
  | { readonly kind: 'send'; readonly reason: 'first-for-workload' | 'needs-a-person' | 'within-limits' }
  | { readonly kind: 'suppress'; readonly reason: 'cooldown' | 'rate-limit'; readonly message: string };

/** States in which somebody is waited for. */
const NEEDS_A_PERSON: readonly IncidentState[] = ['Escalated', 'AwaitingApproval'];

/**
 * Whether a message goes out now. The first about a workload always does, and so does the first call for a person about an incident that
 * is no mere repetition within the cooldown: silence would be worse than one message too many.
 */
export function judgeNotify(facts: NotifyFacts, limits: NotifyLimits): NotifyVerdict {
  if (facts.firstForWorkload) return { kind: 'send', reason: 'first-for-workload' };
  const cooling = facts.sinceSameMs !== undefined && facts.sinceSameMs < limits.cooldownMs;
  if (cooling)
    return { kind: 'suppress', reason: 'cooldown', message: 'the same was said about this workload a moment ago' };
  if (facts.firstForIncidentState && NEEDS_A_PERSON.includes(facts.to))
    return { kind: 'send', reason: 'needs-a-person' };
  if (facts.sentInWindow >= limits.perWindow) {
    return { kind: 'suppress', reason: 'rate-limit', message: 'the channel has said as much as it may in this window' };
  }
  return { kind: 'send', reason: 'within-limits' };
}
