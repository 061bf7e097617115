import type { Inverse } from '@hephaisto/core/action/types';
import type { VerificationResult } from './assess.ts';

export type RollbackDecision =
  | { readonly kind: 'undo'; readonly reason: 'verification_failed'; readonly message: string }
  | { readonly kind: 'nothing-to-undo'; readonly reason: 'no_inverse'; readonly message: string }
  | { readonly kind: 'leave'; readonly reason: 'passed' | 'inconclusive'; readonly message: string };

/** What follows from the last check. Not knowing is no reason to undo: a hanging API server must not revert a healthy cluster. */
export function decideRollback(result: VerificationResult, inverse: Inverse): RollbackDecision {
  if (result === 'Passed') return { kind: 'leave', reason: 'passed', message: 'the last check passed' };
  if (result === 'Inconclusive')
    return { kind: 'leave', reason: 'inconclusive', message: 'the last check could not tell, so nothing is undone' };
  return inverse.kind === 'none'
    ? { kind: 'nothing-to-undo', reason: 'no_inverse', message: inverse.why }
    : {
        kind: 'undo',
        reason: 'verification_failed',
        message: 'the last check failed, so the prior values are put back',
      };
}
