import type { Risk } from '@hephaisto/core/action/types';
import type { Right } from '../api/rights.ts';
import type { Freshness } from '../live/freshness.ts';

/** How hard approving is made, by what it may cost. */
export interface Friction {
  readonly reasonRequired: boolean;
  /** The short name that must be typed; undefined where none must. */
  readonly typedName: string | undefined;
  /** Whether the end of the diff must have been in sight first. */
  readonly diffFirst: boolean;
}

/** `people` is how many different persons must agree; an act that needs two is worth each one's full attention. */
export function frictionOf(risk: string, people: number, targetName: string): Friction {
  const most = (risk as Risk) === 'high' || people > 1 || !['low', 'medium', 'high'].includes(risk);
  return { reasonRequired: most, typedName: most ? targetName : undefined, diffFirst: most };
}

export interface ApproveFacts {
  readonly friction: Friction;
  readonly freshness: Freshness;
  readonly right: Right;
  /** Whether the stop is on; undefined where the switches could not be read. */
  readonly stopped: boolean | undefined;
  readonly proposalState: string;
  readonly secondsLeft: number | null;
  readonly supersededBy: string | null;
  readonly alreadyVoted: boolean;
  readonly reason: string;
  readonly typed: string;
  readonly diffSeen: boolean;
  readonly busy: boolean;
}

export type Readiness =
  | { readonly kind: 'ready' }
  /** Nothing the person does here can change it. */
  | { readonly kind: 'blocked'; readonly code: BlockCode; readonly why: string }
  /** Something is still asked of the person. */
  | { readonly kind: 'asks'; readonly code: AskCode; readonly why: string };
export type BlockCode =
  | 'settled'
  | 'replaced'
  | 'expired'
  | 'stopped'
  | 'no-right'
  | 'voted'
  | 'stale'
  | 'switch-unknown'
  | 'busy';
export type AskCode = 'reason' | 'diff' | 'name' | 'name-mismatch';

/** Whether the button may be pressed, and if not, the one reason that matters most. The server judges all of it again. */
export function judgeReadiness(facts: ApproveFacts): Readiness {
  const blocked = (code: BlockCode, why: string): Readiness => ({ kind: 'blocked', code, why });
  // First, since a stop also makes the proposal void: the cause says more than its effect.
  if (facts.stopped === true) return blocked('stopped', 'all actions are stopped');
  if (facts.supersededBy !== null || facts.proposalState === 'Superseded')
    return blocked('replaced', 'the target or the policy moved; a new revision replaced this one');
  if (facts.proposalState !== 'Open') return blocked('settled', `it is already ${facts.proposalState.toLowerCase()}`);
  if (facts.secondsLeft !== null && facts.secondsLeft <= 0) return blocked('expired', 'it has expired');
  if (facts.right.kind === 'may-not') return blocked('no-right', facts.right.why);
  if (facts.alreadyVoted) return blocked('voted', 'you have approved it; another person is needed');
  if (facts.freshness.state !== 'live') return blocked('stale', staleWords(facts.freshness));
  if (facts.stopped === undefined) return blocked('switch-unknown', 'the switches could not be read');
  if (facts.busy) return blocked('busy', 'it is being sent');
  if (facts.friction.diffFirst && !facts.diffSeen)
    return { kind: 'asks', code: 'diff', why: 'scroll to the end of the change' };
  if (facts.friction.reasonRequired && facts.reason.trim() === '')
    return { kind: 'asks', code: 'reason', why: 'say why' };
  const { typedName } = facts.friction;
  if (typedName !== undefined && facts.typed.trim() === '')
    return { kind: 'asks', code: 'name', why: `type ${typedName}` };
  if (typedName !== undefined && facts.typed.trim() !== typedName)
    return { kind: 'asks', code: 'name-mismatch', why: `that is not ${typedName}` };
  return { kind: 'ready' };
}

function staleWords(freshness: Freshness): string {
  return freshness.state === 'offline'
    ? `offline: ${freshness.why}`
    : `this screen may be old: ${freshness.state === 'stale' ? freshness.why : ''}`;
}

export const DENY_REASONS = ['wrong cause', 'wrong target', 'too risky', 'will do it by hand', 'later'] as const;
