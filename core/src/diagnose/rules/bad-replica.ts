import { ordersIn } from '../../evidence/taint.ts';
import { inQuotes, quote, quoteLine } from '../quote.ts';
import { finding, type Rule, type RuleInput, refuted } from '../rule.ts';
import { decisiveWords, podEvidence } from '../symptom-evidence.ts';
import type { Trouble } from '../trouble.ts';
import { namedDeadServices } from '../upstream-names.ts';
import { type CaseView, logsOf } from '../view.ts';

export const badReplica: Rule = {
  id: 'bad-replica',
  question: 'Is it one pod alone, for a reason of its own?',
  needs: ['get_pods', 'get_logs'],
  evaluate(input) {
    const { view } = input;
    const sick = view.troubles.filter(({ symptom }) => symptom === 'crash' || symptom === 'not-ready');
    const only = sick[0];
    // Asked only where the revision does not explain it: how many of its pods have failed yet would be chance.
    if (only === undefined || view.about === undefined || input.rollout.kind === 'explains') return [];
    const pods = view.pods?.value ?? [];
    const ready = pods.filter((pod) => pod.ready);
    if (pods.length < 2) return [];
    if (view.troubles.length > 1 || ready.length === 0) {
      return refuted(badReplica, 'more than one pod is sick', quote(view.pods, ' pods, ', ' ready'));
    }
    if (namedDeadServices(view).length > 0) return [];
    return claimOf(input, only);
  },
};

function claimOf({ view }: RuleInput, only: Trouble) {
  if (view.about === undefined) return [];
  const pod = { kind: 'Pod', namespace: only.pod.namespace, name: only.pod.name, uid: only.pod.uid };
  const local = staleLine(view, only);
  const peer = view.pods?.value.find((candidate) => candidate.ready);
  const evidence = [
    ...(local === undefined ? [] : [local.claim]),
    ...podEvidence(view, [only], only.symptom),
    ...(peer === undefined ? [] : quote(view.pods, `pod ${peer.name}: ready`)),
  ];
  const words = decisiveWords(view, [only], only.symptom);
  if (local === undefined || !hasLocalState(only)) {
    return finding(badReplica, {
      category: 'unknown',
      statement: `${onlyText(only, words)} The other pods are ready.${words === undefined ? ' Nothing that was read says why.' : ''}`,
      certainty: 'possible',
      cause: { kind: 'one-bad-replica', workload: view.about, pod },
      evidence,
    });
  }
  return finding(badReplica, {
    category: 'application',
    statement: `Pod ${pod.name} fails on state left in its own volume: ${inQuotes(local.line)}. The other pods are ready. A new pod has a new volume.`,
    certainty: 'likely',
    cause: {
      kind: 'stale-local-state',
      workload: view.about,
      pod,
      container: only.container ?? '',
      what: local.claim.excerpt,
    },
    evidence,
  });
}

function onlyText({ pod, symptom }: Trouble, words: string | undefined): string {
  const quoted = words === undefined ? '' : `: ${inQuotes(words)}`;
  return `Pod ${pod.name} alone ${symptom === 'crash' ? 'crashes' : 'is not ready'}${quoted}.`;
}

/** State that dies with the pod. A claim outlives it, and a new pod would find the same state again. */
function hasLocalState({ pod }: Trouble): boolean {
  return (
    pod.volumes.some(({ kind }) => kind === 'emptyDir') &&
    !pod.volumes.some(({ kind }) => kind === 'pvc' || kind === 'other')
  );
}

const THING =
  /\b(?:lock(?:ed|s|file)?|pid ?file|[\w.-]+\.(?:lock|lck|pid|sock)|socket|journal|spool|marker|temp(?:orary)? (?:file|dir\w*)|cache|wal)\b/i;
const TROUBLED =
  /\b(?:stale|left ?over|orphan\w*|already (?:exists|locked|held|in use|running)|held by|cannot|can't|could not|unable|refus\w+|fail\w*|corrupt\w*|exists)\b/i;

function staleLine(view: CaseView, only: Trouble) {
  for (const log of logsOf(view, [only])) {
    for (const line of log.value.lines) {
      if (!THING.test(line) || !TROUBLED.test(line) || ordersIn(line).length > 0) continue;
      const claim = quoteLine(log, line);
      if (claim !== undefined) return { line, claim };
    }
  }
  return undefined;
}
