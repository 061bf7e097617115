import { assertNever } from '../../assert-never.ts';
import type { EvidenceClaim } from '../../finding/finding.ts';
import { type LastWords, lastWords } from '../last-words.ts';
import { inQuotes, quote } from '../quote.ts';
import { finding, type Rule } from '../rule.ts';
import { podEvidence, symptomEvent } from '../symptom-evidence.ts';
import type { Trouble } from '../trouble.ts';
import { namedDeadServices } from '../upstream-names.ts';
import { type CaseView, logsOf } from '../view.ts';

export const applicationCrash: Rule = {
  id: 'application-crash',
  question: 'Does the application end itself, and what are its last words?',
  needs: ['get_pods', 'get_logs'],
  evaluate({ view, rollout }) {
    const sick = view.troubles.filter(({ symptom }) => symptom === 'crash');
    const first = sick[0];
    if (first?.container === undefined || view.about === undefined || view.job !== undefined) return [];
    if (rollout.kind === 'explains' || namedDeadServices(view).length > 0) return [];
    const healthy = view.pods?.value.filter((pod) => pod.ready) ?? [];
    const alone = sick.length === 1 && healthy.length > 0;
    const reason = reasonOf(view, sick, first);
    // The same program runs well in the other pods, so one pod needs more than a complaint; a bad replica is what remains, with its words.
    if (alone && reason?.isTelling !== true) return [];
    const peer = alone ? quote(view.pods, `pod ${healthy[0]?.name ?? ''}: ready`) : [];
    return finding(applicationCrash, {
      category: 'application',
      statement: `${alone ? onlyPod(first, healthy.length) : ''}${statementOf(first, reason)}`,
      certainty: reason === undefined ? 'possible' : 'likely',
      cause: {
        kind: 'crash-application',
        workload: view.about,
        container: first.container,
        ...(reason === undefined ? {} : { line: reason.line }),
      },
      evidence: [...(reason?.evidence ?? []), ...podEvidence(view, sick, 'crash'), ...peer],
    });
  },
};

interface Reason {
  readonly kind: 'damaged' | 'log' | 'probe' | 'state';
  readonly line: string;
  readonly evidence: readonly EvidenceClaim[];
  /** The words are those of a program that ends for this reason, not of one that complains of many things. */
  readonly isTelling: boolean;
}

/** Exit codes of a process that was killed from outside. */
const KILLED: readonly number[] = [137, 143];

/** Why the container ends. A probe that killed it explains exit code 137 or 143 better than a log that only complains. */
function reasonOf(view: CaseView, sick: readonly Trouble[], first: Trouble): Reason | undefined {
  const words = lastWords(logsOf(view, sick));
  const probe = symptomEvent(view, sick, 'crash');
  const isKilled = first.ended !== undefined && KILLED.includes(first.ended.exitCode);
  if (probe !== undefined && (words === undefined || (isKilled && !isReason(words)))) {
    return { kind: 'probe', line: probe.message, evidence: probe.evidence, isTelling: true };
  }
  if (words !== undefined) {
    const { line, level, claim } = words;
    return {
      kind: level === 'damaged' ? 'damaged' : 'log',
      line: line.trim(),
      evidence: [claim],
      isTelling: isReason(words),
    };
  }
  const message = first.ended?.message?.trim() ?? '';
  const evidence = quote(view.pods, `pod ${first.pod.name} `, `container ${first.container ?? ''}: `, 'exit code');
  return message === '' || evidence.length === 0
    ? undefined
    : { kind: 'state', line: message, evidence, isTelling: true };
}

function isReason({ level }: LastWords): boolean {
  return level === 'damaged' || level === 'ended';
}

function onlyPod({ pod }: Trouble, healthy: number): string {
  return `Only pod ${pod.name} fails; ${healthy} ${healthy === 1 ? 'other is' : 'others are'} ready. `;
}

function statementOf({ container, ended }: Trouble, reason: Reason | undefined): string {
  const name = `Container ${container ?? ''}`;
  const code = ended === undefined ? '' : ` with exit code ${ended.exitCode}`;
  if (reason === undefined) return `${name} ends by itself${code}; its log does not say why.`;
  switch (reason.kind) {
    case 'damaged':
      return `${name} ends${code} because its data is damaged: ${inQuotes(reason.line)}. Starting it again changes nothing.`;
    case 'log':
      return `${name} ends by itself${code}: ${inQuotes(reason.line)}.`;
    case 'probe':
      return `The kubelet restarts container ${container ?? ''}${code}: ${inQuotes(reason.line)}.`;
    case 'state':
      return `${name} ends${code}: ${inQuotes(reason.line)}.`;
    default:
      return assertNever(reason.kind);
  }
}
