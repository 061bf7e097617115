import type { Certainty, ClaimedFinding, EvidenceClaim, EvidenceRejection } from './finding.ts';

/** What citations are checked against: the stored text of a step of this investigation, or that the step is another's. */
export type CitedStep =
  | { readonly kind: 'own'; readonly text: string; readonly tainted: boolean }
  | { readonly kind: 'foreign' };

export type EvidenceVerdict = EvidenceClaim &
  (
    | { readonly kind: 'accepted' }
    | { readonly kind: 'rejected'; readonly reason: EvidenceRejection; readonly message: string }
  );

/** A claim after its citations were checked. */
export type GroundedFinding = Omit<ClaimedFinding, 'evidence' | 'primary'> & {
  readonly ordinal: number;
  readonly primary: boolean;
  readonly status: 'grounded' | 'dropped';
  readonly dropReason?: 'no-evidence';
  readonly evidence: readonly EvidenceVerdict[];
  /** Every accepted citation is of a text that gives orders to its reader: nothing may be done by itself on that ground. */
  readonly restsOnTaint: boolean;
};

/** Shorter quotations stand almost anywhere and prove nothing. Counted after white space was normalised. */
export const SHORTEST_EXCERPT = 12;

/** Runs of white space count as one space, on both sides of the comparison. */
export function normaliseWhitespace(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}

export function checkEvidence(claim: EvidenceClaim, step: (stepId: string) => CitedStep | undefined): EvidenceVerdict {
  const reject = (reason: EvidenceRejection, message: string): EvidenceVerdict => ({
    ...claim,
    kind: 'rejected',
    reason,
    message,
  });
  const excerpt = normaliseWhitespace(claim.excerpt);
  if (excerpt === '') return reject('empty_excerpt', 'expected a quotation, found nothing but white space');
  const cited = step(claim.stepId);
  if (cited === undefined)
    return reject('unknown_step', `expected a step of this investigation, found \`${claim.stepId}\``);
  if (cited.kind === 'foreign')
    return reject('foreign_step', 'expected a step of this investigation, found one of another');
  if ([...excerpt].length < SHORTEST_EXCERPT) {
    return reject('too_short', `expected at least ${SHORTEST_EXCERPT} characters, found ${[...excerpt].length}`);
  }
  if (!normaliseWhitespace(cited.text).includes(excerpt)) {
    return reject('not_substring', 'expected words that stand in the cited step, found others');
  }
  return { ...claim, kind: 'accepted' };
}

/**
 * Checks every citation; evidence that fails is dropped, a finding without evidence is dropped. Exactly one grounded finding is primary:
 * the one claimed so, else the strongest that is left and establishes anything, else none.
 */
export function groundFindings(
  claims: readonly ClaimedFinding[],
  step: (stepId: string) => CitedStep | undefined,
): readonly GroundedFinding[] {
  const checked = claims.map((claim, ordinal): GroundedFinding => {
    const evidence = claim.evidence.map((item) => checkEvidence(item, step));
    const accepted = evidence.filter((item) => item.kind === 'accepted');
    const grounded = accepted.length > 0;
    return {
      ...claim,
      ordinal,
      primary: claim.primary && grounded,
      certainty: grounded ? claim.certainty : 'not_established',
      status: grounded ? 'grounded' : 'dropped',
      ...(grounded ? {} : { dropReason: 'no-evidence' as const }),
      evidence,
      restsOnTaint: grounded && accepted.every((item) => isTaintedStep(step(item.stepId))),
    };
  });
  const elected = electPrimary(checked);
  return checked.map((finding) => ({ ...finding, primary: finding.ordinal === elected }));
}

function isTaintedStep(step: CitedStep | undefined): boolean {
  return step?.kind === 'own' && step.tainted;
}

const STRENGTH: Readonly<Record<Certainty, number>> = { proven: 3, likely: 2, possible: 1, not_established: 0 };

function electPrimary(findings: readonly GroundedFinding[]): number | undefined {
  const candidates = findings.filter(
    (finding) => finding.status === 'grounded' && finding.certainty !== 'not_established',
  );
  const claimed = candidates.filter((finding) => finding.primary);
  const pool = claimed.length > 0 ? claimed : candidates;
  return [...pool].sort(
    (a, b) =>
      STRENGTH[b.certainty] - STRENGTH[a.certainty] ||
      (b.confidence ?? 0) - (a.confidence ?? 0) ||
      a.ordinal - b.ordinal,
  )[0]?.ordinal;
}
