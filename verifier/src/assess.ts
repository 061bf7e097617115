import { ACTION_KINDS } from '@hephaisto/core/action/catalogue';
import type { Predicate } from '@hephaisto/core/action/kind';
import type { ActionType } from '@hephaisto/core/action/types';
import { alert } from './checks/alert.ts';
import { changeInPlace } from './checks/change-in-place.ts';
import { restored } from './checks/restored.ts';
import { workloadHealth } from './checks/workload-health.ts';
import type { VerificationFacts } from './facts.ts';
import type { Outcome, PredicateResult, Question } from './predicate.ts';

export const LAST_ATTEMPT = 3;

export const VERIFICATION_RESULTS = ['Passed', 'Failed', 'Inconclusive'] as const;
export type VerificationResult = (typeof VERIFICATION_RESULTS)[number];

export interface Assessment {
  readonly result: VerificationResult;
  readonly reason: 'all_passed' | 'failed_last' | 'not_yet' | 'unmeasured' | 'health_unmeasured';
  readonly message: string;
  readonly predicates: readonly PredicateResult[];
}

const CHECKS: Readonly<Record<Predicate, (facts: VerificationFacts, question: Question) => Outcome>> = {
  'workload-health': workloadHealth,
  alert,
  'change-in-place': changeInPlace,
  restored,
};

/** Which question an attempt asks. */
export const QUESTION_OF_ATTEMPT: readonly Question[] = ['obvious_break', 'converged', 'came_back'];

/** What is measured for a question; an undo is only asked whether it is done. */
export function predicatesOf(type: ActionType, question: Question): readonly Predicate[] {
  return question === 'restored' ? ['restored'] : ACTION_KINDS[type].verification[question];
}

/**
 * Judges one check by the worst of its measurements. Only the last attempt may fail: an earlier one that does not hold yet is a reason to wait. What could not be
 * measured never counts as failed, and never as passed.
 */
export function assess(facts: VerificationFacts, question: Question, attempt: number): Assessment {
  const predicates = predicatesOf(facts.request.type, question).map(
    (predicate): PredicateResult => ({ predicate, ...CHECKS[predicate](facts, question) }),
  );
  return { ...verdictOf(predicates, question, attempt), predicates };
}

function verdictOf(
  predicates: readonly PredicateResult[],
  question: Question,
  attempt: number,
): Omit<Assessment, 'predicates'> {
  const failed = predicates.filter(({ verdict }) => verdict === 'failed');
  if (failed.length > 0) {
    const message = failed.map((each) => `${each.predicate}: ${each.message}`).join('; ');
    return attempt >= LAST_ATTEMPT
      ? { result: 'Failed', reason: 'failed_last', message }
      : { result: 'Inconclusive', reason: 'not_yet', message };
  }
  const open = predicates.filter(({ verdict }) => verdict === 'inconclusive');
  if (open.length > 0)
    return {
      result: 'Inconclusive',
      reason: 'unmeasured',
      message: open.map((each) => `${each.predicate}: ${each.message}`).join('; '),
    };
  const measured = predicates.some(
    ({ predicate, verdict }) => verdict === 'passed' && measuresEnough(predicate, question),
  );
  return measured
    ? { result: 'Passed', reason: 'all_passed', message: predicates.map(({ message }) => message).join('; ') }
    : { result: 'Inconclusive', reason: 'health_unmeasured', message: 'the health of the workload was not measured' };
}

/** Health must have been measured, or nothing was shown; the first look at a deleted job, and an undo, have no health to measure. */
function measuresEnough(predicate: Predicate, question: Question): boolean {
  if (question === 'restored') return predicate === 'restored';
  return predicate === 'workload-health' || (question === 'obvious_break' && predicate === 'change-in-place');
}
