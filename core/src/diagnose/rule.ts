import type { Cause, Certainty, ClaimedFinding, EvidenceClaim, FindingCategory } from '../finding/finding.ts';
import type { RolloutVerdict } from './rollout.ts';
import type { ToolName } from './tools.ts';
import type { CaseView } from './view.ts';

/** What the evaluation of a case's rules starts from: the readings, and the one question nearly all rules need answered first. */
export interface RuleInput {
  readonly view: CaseView;
  readonly rollout: RolloutVerdict;
}

/**
 * One hypothesis. `evaluate` gives a finding when it holds, one with a `refuted` cause when it was tested and does not, and nothing when
 * the case gives no reason to ask.
 */
export interface Rule {
  readonly id: string;
  /** Asked in words for people. */
  readonly question: string;
  /** Tools without whose answers the question stays open. */
  readonly needs: readonly ToolName[];
  evaluate(input: RuleInput): readonly ClaimedFinding[];
}

export function finding(
  rule: Pick<Rule, 'id'>,
  claim: {
    readonly category: FindingCategory;
    readonly statement: string;
    readonly certainty: Certainty;
    readonly cause: Cause;
    readonly evidence: readonly EvidenceClaim[];
  },
): readonly ClaimedFinding[] {
  return [{ ...claim, rule: rule.id, primary: false, evidence: distinct(claim.evidence) }];
}

/** A tested hypothesis that is not the case; nothing when there is nothing to show for it. */
export function refuted(
  rule: Pick<Rule, 'id' | 'question'>,
  answer: string,
  evidence: readonly EvidenceClaim[],
): readonly ClaimedFinding[] {
  if (evidence.length === 0) return [];
  return finding(rule, {
    category: 'unknown',
    statement: `${rule.question} No: ${answer}.`,
    certainty: 'not_established',
    cause: { kind: 'refuted', question: rule.question, answer },
    evidence,
  });
}

function distinct(evidence: readonly EvidenceClaim[]): readonly EvidenceClaim[] {
  const seen = new Set<string>();
  return evidence.filter(({ stepId, excerpt }) => {
    const key = `${stepId} ${excerpt}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
