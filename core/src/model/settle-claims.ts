import { settleCertainty } from '../finding/certainty.ts';
import type { Certainty, ClaimedFinding, EvidenceClaim } from '../finding/finding.ts';
import type { InvestigationSubject } from '../investigation/investigator.ts';
import type { ConcludeArgs, FindingClaim } from './conclude.ts';
import type { Observed } from './observed.ts';
import { type ResolvedCause, resolveCause } from './resolve-cause.ts';

/** What became of a claimed cause that no reading bears out, for people. */
export interface CauseNote {
  readonly ordinal: number;
  readonly reason: Extract<ResolvedCause, { kind: 'unresolved' }>['reason'];
  readonly message: string;
}

/**
 * The model's claims as findings: labels become steps, causes what was read. A label that names no step stays as it is, and the check of
 * quotations will say so.
 */
export function findingsOfClaims(
  conclusion: ConcludeArgs,
  subject: InvestigationSubject,
  observed: Observed,
  stepOf: (label: string) => string | undefined,
): { readonly findings: readonly ClaimedFinding[]; readonly notes: readonly CauseNote[] } {
  const notes: CauseNote[] = [];
  const findings = conclusion.findings.map((claim, ordinal): ClaimedFinding => {
    const made = resolveCause(claim.cause, subject, observed);
    if (made.kind === 'unresolved') notes.push({ ordinal, reason: made.reason, message: made.message });
    const evidence = claim.evidence.map(
      ({ step, excerpt }): EvidenceClaim => ({ stepId: stepOf(labelOf(step)) ?? step, excerpt }),
    );
    return { ...wordsOf(claim), cause: made.cause, evidence };
  });
  return { findings, notes };
}

function wordsOf({ category, statement, confidence, primary }: FindingClaim) {
  return { category, statement, confidence, primary, certainty: 'possible' as const };
}

/** `bcdfghjk`, `step bcdfghjk` and `[step bcdfghjk]` are the same label. */
function labelOf(text: string): string {
  return text.replace(/^\[?(?:step\s+)?|\]$/gu, '').trim();
}

const STRENGTH: Readonly<Record<Certainty, number>> = { proven: 3, likely: 2, possible: 1, not_established: 0 };

/**
 * Rules and model as one list. Only one side may claim the primary finding: the more certain, and rules where both are equally so, since their
 * word is backed by an evaluation and the model's by a number.
 */
export function joinFindings(
  rules: readonly ClaimedFinding[],
  model: readonly ClaimedFinding[],
): readonly ClaimedFinding[] {
  const ruleBest = best(rules.filter((finding) => finding.primary));
  const modelBest = best(model.filter((finding) => finding.primary));
  const modelLeads = modelBest > ruleBest;
  return [
    ...rules.map((finding) => ({ ...finding, primary: finding.primary && !modelLeads })),
    ...model.map((finding) => ({ ...finding, primary: finding.primary && modelLeads })),
  ];
}

function best(findings: readonly ClaimedFinding[]): number {
  return Math.max(-1, ...findings.map((finding) => STRENGTH[settleCertainty(finding)]));
}
