import type { Predicate, VerificationQuestion } from '@hephaisto/core/action/kind';

export type Question = VerificationQuestion | 'restored';

export const PREDICATE_VERDICTS = ['passed', 'failed', 'inconclusive', 'dropped'] as const;
export type PredicateVerdict = (typeof PREDICATE_VERDICTS)[number];

export const PREDICATE_CODES = [
  'nothing_worse',
  'settled',
  'stayed_settled',
  'target_gone',
  'workload_gone',
  'fewer_ready',
  'new_pod_restarted',
  'not_observed',
  'not_updated',
  'not_ready',
  'restarted_since',
  'nothing_runs',
  'not_firing',
  'still_firing',
  'no_alert_source',
  'no_alert_known',
  'change_stands',
  'change_undone',
  'target_still_there',
  'restored',
  'not_restored',
  'unmeasurable',
] as const;
export type PredicateCode = (typeof PREDICATE_CODES)[number];

/** One measured answer, as it is stored and shown. */
export interface PredicateResult {
  readonly predicate: Predicate;
  readonly verdict: PredicateVerdict;
  readonly code: PredicateCode;
  readonly message: string;
  readonly measured?: Readonly<Record<string, unknown>>;
}

export type Outcome = Omit<PredicateResult, 'predicate'>;

export function outcome(
  verdict: PredicateVerdict,
  code: PredicateCode,
  message: string,
  measured?: Readonly<Record<string, unknown>>,
): Outcome {
  return { verdict, code, message, ...(measured === undefined ? {} : { measured }) };
}

export function unmeasurable(what: string, why: string): Outcome {
  return outcome('inconclusive', 'unmeasurable', `${what} could not be measured: ${why}`);
}
