import type { Cause, ClaimedFinding } from '../finding/finding.ts';
import type { InvestigationSubject } from '../investigation/investigator.ts';
import type { World } from './case.fixture.ts';

export interface Expected {
  readonly certainty: ClaimedFinding['certainty'];
  readonly cause: Partial<Cause> & { readonly kind: Cause['kind'] };
  /** Outside words that the sentence must quote. */
  readonly quotes?: string;
  readonly check?: (cause: Cause) => void;
}

/** By a sentence that says what is the case, and why that is what must be found. */
export type RuleCases = Readonly<
  Record<string, { readonly world: World; readonly expected: Expected; readonly subject?: InvestigationSubject }>
>;
