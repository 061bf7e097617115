import type { IncidentReport } from '@hephaisto/core/report/incident';

type Investigation = IncidentReport['investigations'][number];
type Finding = Investigation['findings'][number];
type Step = Investigation['steps'][number];

/** One quotation, with the step it was found in and the claim it supports. */
export interface Citation {
  readonly step: Step;
  readonly finding: Finding;
  readonly excerpt: string;
  /** Place in the finding's list of quotations; names it in the address. */
  readonly index: number;
}

/** All accepted quotations of a claim, in order. */
export function citationsOf(investigation: Investigation, finding: Finding): readonly Citation[] {
  return finding.evidence.flatMap((evidence, index) => {
    const step = investigation.steps.find((each) => each.id === evidence.stepId);
    return step === undefined || !evidence.accepted ? [] : [{ step, finding, excerpt: evidence.excerpt, index }];
  });
}

/** The first quotation of each step, with how many of the step there are: one chip a step, not one a line. */
export function oneOfEachStep(
  citations: readonly Citation[],
): readonly { readonly citation: Citation; readonly count: number }[] {
  return citations
    .filter((citation, index) => citations.findIndex((other) => other.step.id === citation.step.id) === index)
    .sort((a, b) => a.step.ordinal - b.step.ordinal)
    .map((citation) => ({
      citation,
      count: citations.filter((other) => other.step.id === citation.step.id).length,
    }));
}

/** The claim that the verdict rests on, with the look at the incident that made it. */
export function verdictFinding(
  report: Pick<IncidentReport, 'verdict' | 'investigations'>,
): { readonly investigation: Investigation; readonly finding: Finding } | undefined {
  for (const investigation of report.investigations) {
    const finding = investigation.findings.find((each) => each.id === report.verdict?.findingId);
    if (finding !== undefined) return { investigation, finding };
  }
  return undefined;
}

/** The step and, where the address names one, the quotation to show in it. */
export function placeOf(
  report: Pick<IncidentReport, 'investigations'>,
  stepId: string,
  at: string | undefined,
): { readonly step: Step; readonly cited: readonly Citation[]; readonly chosen: Citation | undefined } | undefined {
  for (const investigation of report.investigations) {
    const step = investigation.steps.find((each) => each.id === stepId);
    if (step === undefined) continue;
    const cited = investigation.findings
      .flatMap((finding) => citationsOf(investigation, finding))
      .filter((citation) => citation.step.id === stepId);
    return { step, cited, chosen: cited.find((citation) => placeName(citation) === at) ?? cited[0] };
  }
  return undefined;
}

/** How an address names a quotation. */
export function placeName(citation: Pick<Citation, 'finding' | 'index'>): string {
  return `${citation.finding.id}.${citation.index}`;
}

/** A stretch of text, and whether it is one of the quotations; `first` marks the chosen one. */
export interface Stretch {
  readonly text: string;
  readonly quoted: 'no' | 'yes' | 'chosen';
}

/** The text cut at its quotations. Overlapping ones are joined; what is not in the text is not shown as if it were. */
export function stretchesOf(text: string, excerpts: readonly string[], chosen: string | undefined): readonly Stretch[] {
  const marks = new Uint8Array(text.length);
  for (const excerpt of excerpts) paint(marks, text, excerpt, 1);
  if (chosen !== undefined) paint(marks, text, chosen, 2);
  const stretches: Stretch[] = [];
  for (let from = 0; from < text.length; ) {
    let to = from + 1;
    while (to < text.length && marks[to] === marks[from]) to += 1;
    stretches.push({ text: text.slice(from, to), quoted: QUOTED[marks[from] ?? 0] ?? 'no' });
    from = to;
  }
  return stretches;
}

const QUOTED = ['no', 'yes', 'chosen'] as const;

function paint(marks: Uint8Array, text: string, excerpt: string, value: number): void {
  const found = excerpt.trim() === '' ? null : (exact(text, excerpt) ?? loose(text, excerpt));
  if (found !== null) marks.fill(value, found.at, found.at + found.length);
}

interface Found {
  readonly at: number;
  readonly length: number;
}

function exact(text: string, excerpt: string): Found | null {
  const at = text.indexOf(excerpt);
  return at < 0 ? null : { at, length: excerpt.length };
}

/** A quotation counts where its words stand in order, whatever white space is between them. */
function loose(text: string, excerpt: string): Found | null {
  const words = excerpt
    .trim()
    .split(/\s+/)
    .map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  // linear: words that are escaped, with white space between them that none of them has
  const match = new RegExp(words.join('\\s+')).exec(text);
  return match === null ? null : { at: match.index, length: match[0].length };
}
