import { instant } from '../../evidence/tables/text.ts';
import { ordersIn } from '../../evidence/taint.ts';
import type { EvidenceClaim, PodStartHold } from '../../finding/finding.ts';
import { lastWords } from '../last-words.ts';
import { inQuotes, quoteLine } from '../quote.ts';
import { finding, type Rule } from '../rule.ts';
import { podEvidence, symptomEvent } from '../symptom-evidence.ts';
import type { Trouble } from '../trouble.ts';
import { namedDeadServices } from '../upstream-names.ts';
import { type CaseView, logsOf } from '../view.ts';

export const podStartHeld: Rule = {
  id: 'pod-start-held',
  question: 'Does an init container, a volume or the network hold the pod before its containers start?',
  needs: ['get_pods', 'get_events', 'get_logs'],
  evaluate({ view, rollout }) {
    const sick = view.troubles.filter(({ symptom }) => symptom === 'initializing' || symptom === 'creating');
    const [first] = sick;
    if (first === undefined || view.about === undefined || rollout.kind === 'explains') return [];
    if (namedDeadServices(view).length > 0) return [];
    const hold = first.symptom === 'initializing' ? initHold(view, first) : creationHold(view, first);
    const { pod, container } = first;
    return finding(podStartHeld, {
      category: hold.by === 'init-container' ? 'application' : 'infrastructure',
      statement: `${hold.text}${hold.words === undefined ? '; nothing that was read says why' : `: ${inQuotes(hold.words)}`}.`,
      certainty: hold.words === undefined ? 'possible' : 'likely',
      cause: {
        kind: 'pod-start-held',
        workload: view.about,
        pod: { kind: 'Pod', namespace: pod.namespace, name: pod.name, uid: pod.uid },
        ...(container === undefined ? {} : { container }),
        by: hold.by,
      },
      evidence: [...hold.evidence, ...podEvidence(view, sick, first.symptom)],
    });
  },
};

interface Hold {
  readonly by: PodStartHold;
  readonly text: string;
  readonly words?: string;
  readonly evidence: readonly EvidenceClaim[];
}

/** An init container that waits often complains of nothing, so its last line counts where it has no last words. */
function initHold(view: CaseView, { pod, container }: Trouble): Hold {
  const logs = logsOf(view, view.troubles);
  const status = pod.statuses.find(({ name, init }) => init && name === container);
  const text = `Init container ${container ?? ''} of pod ${pod.name} has run since ${instant(status?.running?.startedAt)} and has not ended, so no other container starts`;
  const said = lastWords(logs);
  if (said !== undefined) return { by: 'init-container', text, words: said.line.trim(), evidence: [said.claim] };
  for (const log of logs) {
    const line = log.value.lines.findLast((candidate) => candidate.trim() !== '' && ordersIn(candidate).length === 0);
    const claim = line === undefined ? undefined : quoteLine(log, line);
    if (line !== undefined && claim !== undefined) {
      return { by: 'init-container', text, words: line.trim(), evidence: [claim] };
    }
  }
  return { by: 'init-container', text, evidence: [] };
}

/** The kubelet's reasons for a pod whose containers it cannot create yet. */
const HELD_BY: Readonly<Record<string, PodStartHold>> = {
  FailedMount: 'volume',
  FailedAttachVolume: 'volume',
  FailedMapVolume: 'volume',
  FailedCreatePodSandBox: 'network',
  NetworkNotReady: 'network',
};

function creationHold(view: CaseView, trouble: Trouble): Hold {
  const { pod, message } = trouble;
  const scheduled = pod.conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'True');
  const text = `Pod ${pod.name} has waited for its containers to be created since ${instant(scheduled?.since ?? pod.createdAt)}`;
  const event = symptomEvent(view, view.troubles, 'creating');
  if (event !== undefined) {
    return { by: HELD_BY[event.reason] ?? 'kubelet', text, words: event.message, evidence: event.evidence };
  }
  const isUsable = message !== undefined && message.trim() !== '' && ordersIn(message).length === 0;
  return { by: 'kubelet', text, ...(isUsable ? { words: message } : {}), evidence: [] };
}
