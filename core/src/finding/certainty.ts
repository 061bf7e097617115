import type { Certainty, ClaimedFinding } from './finding.ts';

const LIKELY_FROM = 0.8;
const POSSIBLE_FROM = 0.6;

/**
 * The word for a claim. A rule's own word stands, since its evaluation backs it. A model's word never counts: its number gives at most
 * *likely*, and below the threshold nothing.
 */
export function settleCertainty(claim: Pick<ClaimedFinding, 'rule' | 'certainty' | 'confidence'>): Certainty {
  if (claim.rule !== undefined) return claim.certainty;
  const confidence = claim.confidence ?? 0;
  if (confidence >= LIKELY_FROM) return 'likely';
  return confidence >= POSSIBLE_FROM ? 'possible' : 'not_established';
}
