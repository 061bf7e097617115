import { instant, oneLine } from '../evidence/tables/text.ts';
import type { PodFact, RevisionFact } from '../facts/facts.ts';
import { changeLine, diffTemplates } from '../facts/template-diff.ts';
import type { ClaimedFinding, Gap } from '../finding/finding.ts';
import type { InvestigationSubject } from '../investigation/investigator.ts';
import type { Observed } from './observed.ts';

export interface SituationInput {
  readonly subject: InvestigationSubject;
  readonly rules: readonly ClaimedFinding[];
  readonly gaps: readonly Gap[];
  readonly observed: Observed;
  /** What rules have read: label and title of each step. */
  readonly steps: readonly { readonly label: string; readonly asked: string }[];
  readonly labelOf: (stepId: string) => string;
}

const MOST_SIGNALS = 8;
const MOST_CHANGES = 12;
const MOST_PODS = 24;
const MOST_FINDINGS = 8;
const MOST_GAPS = 8;
const LONGEST_QUOTE = 240;

/**
 * The first message: the incident, who owns what, what changed last, what rules make of it as hypotheses with their quotations, and what could
 * not be read. All of it was read from the cluster or said by an alert, so it stands in a message and never at the head.
 */
export function situationText(input: SituationInput): string {
  return [
    incidentCard(input.subject),
    ownerTree(input),
    recentChanges(input),
    hypotheses(input),
    readSteps(input),
    gapText(input.gaps),
    'Confirm or refute the hypotheses with what you read yourself, look for what they do not explain, then conclude.',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function incidentCard(subject: InvestigationSubject): string {
  const { owner, namespace, signals } = subject;
  return [
    `INCIDENT ${subject.kind}: ${oneLine(subject.title, 200)}`,
    `about ${owner === undefined ? 'no known workload' : `${owner.kind} ${owner.name}`}${namespace === undefined ? '' : ` in namespace ${namespace}`}${subject.ownerChain.length > 0 ? `, owners ${subject.ownerChain.join(' > ')}` : ''}${subject.nodeName === undefined ? '' : `, node ${subject.nodeName}`}`,
    `first signal ${subject.firstSignalAt.toISOString()}`,
    ...signals
      .slice(0, MOST_SIGNALS)
      .map(
        (signal) =>
          `signal ${signal.kind} from ${signal.source}, ${signal.reason}${signal.podName === undefined ? '' : `, pod ${signal.podName}`}: ${oneLine(signal.message, 200)}`,
      ),
    ...(signals.length > MOST_SIGNALS ? [`and ${signals.length - MOST_SIGNALS} more signals`] : []),
  ].join('\n');
}

function ownerTree({ subject, observed }: SituationInput): string {
  const { owner, namespace = '' } = subject;
  const workload = observed.workloads.find((item) => item.kind === owner?.kind && item.name === owner.name);
  const pods = observed.pods.filter((pod) => pod.namespace === namespace);
  if (workload === undefined && pods.length === 0) return '';
  const sorted = [...pods].sort((a, b) => Number(a.ready) - Number(b.ready));
  return [
    'OWNERS AND PODS',
    ...(workload === undefined
      ? []
      : [
          `${workload.kind} ${workload.name}: wants ${workload.replicas}, updated ${workload.status.updated}, ready ${workload.status.ready}, revision ${workload.revision ?? '-'}`,
        ]),
    ...sorted.slice(0, MOST_PODS).map(podLine),
    ...(sorted.length > MOST_PODS ? [`and ${sorted.length - MOST_PODS} more pods`] : []),
  ].join('\n');
}

function podLine(pod: PodFact): string {
  const owner = pod.owners.find((item) => item.controller) ?? pod.owners[0];
  const trouble = pod.statuses
    .filter((status) => !status.ready)
    .map((status) => {
      const ended = status.terminated ?? status.lastTerminated;
      const state = status.waiting?.reason ?? (status.running === undefined ? 'ended' : 'running');
      return `${status.name} ${state}, restarts ${status.restartCount}${ended === undefined ? '' : `, last exit ${ended.exitCode} ${ended.reason} at ${instant(ended.finishedAt)}`}`;
    });
  return `  ${pod.name}${owner === undefined ? '' : ` of ${owner.name}`}: ${pod.ready ? 'ready' : `not ready (${trouble.join('; ') || pod.phase})`}`;
}

function recentChanges({ subject, observed }: SituationInput): string {
  const { owner, namespace = '' } = subject;
  if (owner === undefined) return '';
  const revisions = observed.revisions(owner.kind, namespace, owner.name);
  const [newest, before] = revisions;
  if (newest === undefined) return '';
  const heading = `RECENT CHANGES: revision ${newest.revision} since ${newest.createdAt.toISOString()}, ${newest.ready} of ${newest.replicas} ready`;
  if (before === undefined) return `${heading}; it is the only revision`;
  return [
    heading,
    `  revision ${before.revision} before it, ${before.ready} of ${before.replicas} ready`,
    ...changeLines(before, newest),
  ].join('\n');
}

function changeLines(before: RevisionFact, newest: RevisionFact): readonly string[] {
  const changes = diffTemplates(before.template, newest.template);
  return [
    ...changes.slice(0, MOST_CHANGES).map((change) => `  ${oneLine(changeLine(change), 300)}`),
    ...(changes.length > MOST_CHANGES ? [`  and ${changes.length - MOST_CHANGES} more changes`] : []),
  ];
}

function hypotheses({ rules, labelOf }: SituationInput): string {
  if (rules.length === 0) return 'HYPOTHESES: rules found none';
  return [
    'HYPOTHESES of rules (each with its quotations)',
    ...rules
      .slice(0, MOST_FINDINGS)
      .flatMap((finding, index) => [
        `h${index + 1} ${finding.certainty}, ${finding.cause.kind}: ${oneLine(finding.statement, 300)}`,
        ...finding.evidence
          .slice(0, 3)
          .map(({ stepId, excerpt }) => `   [step ${labelOf(stepId)}] ${oneLine(excerpt, LONGEST_QUOTE)}`),
      ]),
  ].join('\n');
}

function readSteps({ steps }: SituationInput): string {
  if (steps.length === 0) return '';
  return [
    'ALREADY READ by rules (ask again to see the whole text; it costs no step)',
    ...steps.map(({ label, asked }) => `[step ${label}] ${asked}`),
  ].join('\n');
}

function gapText(gaps: readonly Gap[]): string {
  if (gaps.length === 0) return '';
  return [
    'COULD NOT BE READ',
    ...gaps
      .slice(0, MOST_GAPS)
      .map((gap) => `${gap.source} ${oneLine(gap.query, 120)}: ${gap.reason}; would have told ${gap.wouldHaveTold}`),
  ].join('\n');
}
