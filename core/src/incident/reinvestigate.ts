import { assertNever } from '../assert-never.ts';
import type { Cause, Certainty } from '../finding/finding.ts';
import type { SignalKind } from '../signal/kind.ts';
import type { EscalationReason } from './machine.ts';

/** Escalations that say only that no action followed from what was found: more evidence may change that. */
export const REINVESTIGATED_REASONS = [
  'NoPlanProduced',
  'LowConfidence',
  'GroundingRejected',
  'UpstreamCause',
  'BudgetExhausted',
] as const satisfies readonly EscalationReason[];

/** A person has the incident meanwhile: a fault that keeps changing must not keep changing under their hands. */
export const MAX_REINVESTIGATIONS = 3;

/** Each further investigation waits this much longer than the one before, so that three of them see more than the first minute. */
export const PAUSE_FACTOR = 6;

/** What a rule concluded, or would conclude now. */
export interface RuleConclusion {
  readonly rule: string;
  readonly certainty: Certainty;
  readonly cause: Cause;
}

/** What is known of an escalated incident whose signals fire. */
export interface ReinvestigationFacts {
  /** Investigations that were begun again without a person. */
  readonly reinvestigations: number;
  /** Kinds of signals that came since the latest investigation began and that it did not know of. */
  readonly newKinds: readonly SignalKind[];
  /** Findings of the latest investigation that came from rules. */
  readonly concluded: readonly RuleConclusion[];
  /** The cause that rules see now; undefined where they see none, or could not read. */
  readonly present: RuleConclusion | undefined;
}

export const REINVESTIGATION_REASONS = ['new-evidence', 'facts-changed', 'often-enough', 'nothing-new'] as const;
export type ReinvestigationReason = (typeof REINVESTIGATION_REASONS)[number];

export interface ReinvestigationVerdict {
  readonly kind: 'investigate' | 'leave';
  readonly reason: ReinvestigationReason;
  readonly message: string;
}

/** Whether an escalated incident is investigated again without being asked. */
export function judgeReinvestigation(facts: ReinvestigationFacts): ReinvestigationVerdict {
  if (facts.reinvestigations >= MAX_REINVESTIGATIONS) {
    const message = `it was investigated again ${facts.reinvestigations} times without a change that helped`;
    return { kind: 'leave', reason: 'often-enough', message };
  }
  const { present } = facts;
  const known = present === undefined ? undefined : facts.concluded.find((each) => isAsStrong(each, present));
  // A pod whose image is missing is also not ready, and its Deployment short: more views of a known cause bring nothing new.
  const isExplained = known !== undefined && STRENGTH[known.certainty] >= STRENGTH.likely;
  if (facts.newKinds.length > 0 && !isExplained) {
    const message = `signals of another kind arrived since: ${facts.newKinds.join(', ')}`;
    return { kind: 'investigate', reason: 'new-evidence', message };
  }
  // Seeing no cause now may be an instant between two crashes; it takes back nothing.
  if (present === undefined || known !== undefined) {
    return { kind: 'leave', reason: 'nothing-new', message: 'another investigation would find the same' };
  }
  const message = `the facts changed: rule ${present.rule} now finds a ${present.certainty} cause`;
  return { kind: 'investigate', reason: 'facts-changed', message };
}

const STRENGTH: Readonly<Record<Certainty, number>> = { proven: 3, likely: 2, possible: 1, not_established: 0 };

function isAsStrong(known: RuleConclusion, present: RuleConclusion): boolean {
  return (
    known.rule === present.rule &&
    causeName(known.cause) === causeName(present.cause) &&
    STRENGTH[known.certainty] >= STRENGTH[present.certainty]
  );
}

/** What a cause is about, without what differs at every reading: restarts, times, the words of a log. */
function causeName(cause: Cause): string {
  switch (cause.kind) {
    case 'rollout-change':
      return `${cause.kind} ${cause.revision} ${cause.decisive?.path ?? ''}`;
    case 'memory-limit-too-low':
      return `${cause.kind} ${cause.container} ${cause.limitBytes}`;
    case 'image-missing':
      return `${cause.kind} ${cause.container} ${cause.image}`;
    case 'config-missing':
      return `${cause.kind} ${cause.source} ${cause.name} ${cause.key ?? ''}`;
    case 'upstream':
      return `${cause.kind} ${cause.service.name}`;
    case 'node-pressure':
      return `${cause.kind} ${cause.node} ${cause.condition}`;
    case 'stale-local-state':
    case 'one-bad-replica':
      return `${cause.kind} ${cause.pod.name}`;
    case 'pod-creation-refused':
      return `${cause.kind} ${cause.by} ${cause.name ?? ''}`;
    case 'pod-start-held':
      return `${cause.kind} ${cause.by} ${cause.container ?? ''}`;
    case 'unmatched-selector':
      return `${cause.kind} ${cause.service.name} ${cause.selector}`;
    case 'pods-not-ready':
      return `${cause.kind} ${cause.container ?? ''}`;
    case 'crash-application':
      return `${cause.kind} ${cause.container}`;
    case 'unschedulable':
      return `${cause.kind} ${cause.resource}`;
    case 'rollout-paused':
    case 'job-failed':
    case 'refuted':
    case 'unknown':
      return cause.kind;
    default:
      return assertNever(cause);
  }
}
