import { oneLine } from '../evidence/tables/text.ts';
import { ordersIn } from '../evidence/taint.ts';
import type { EventFact } from '../facts/facts.ts';
import type { EvidenceClaim } from '../finding/finding.ts';
import type { Symptom } from '../finding/symptom.ts';
import { isInEpisode } from './episode.ts';
import { lastWords } from './last-words.ts';
import { quote } from './quote.ts';
import type { Trouble } from './trouble.ts';
import { type CaseView, logsOf } from './view.ts';

export const SYMPTOM_WORDS: Readonly<Record<Symptom, string>> = {
  crash: 'crash',
  oom: 'are killed for memory',
  'image-pull': 'cannot pull their image',
  config: 'cannot be configured',
  unschedulable: 'find no node',
  initializing: 'wait for an init container',
  creating: 'wait for their containers to be created',
  'not-ready': 'do not become ready',
};

/** What shows that the pods are sick: the first one's own line, and for what the kubelet or scheduler says, its event. */
export function podEvidence(view: CaseView, sick: readonly Trouble[], symptom: Symptom): readonly EvidenceClaim[] {
  const first = sick.find((trouble) => trouble.symptom === symptom);
  if (first === undefined) return [];
  const kind = first.init === true ? 'init container' : 'container';
  const line =
    symptom === 'unschedulable'
      ? quote(view.pods, `pod ${first.pod.name} is not scheduled`)
      : quote(view.pods, `pod ${first.pod.name} ${kind} ${first.container ?? ''}: `);
  return [...line, ...(symptomEvent(view, sick, symptom)?.evidence ?? [])];
}

/** Symptoms of a container that has run. */
const LOGGED: readonly Symptom[] = ['crash', 'oom', 'not-ready', 'initializing'];

/** Words that explain the pods' trouble, from its own source: the scheduler, the kubelet, or the failing container's log. */
export function decisiveWords(view: CaseView, sick: readonly Trouble[], symptom: Symptom): string | undefined {
  const failing = sick.filter((trouble) => trouble.symptom === symptom);
  const logged = LOGGED.includes(symptom) ? lastWords(logsOf(view, failing)) : undefined;
  if (logged !== undefined) return logged.line;
  const event = symptomEvent(view, failing, symptom);
  if (event !== undefined) return event.message;
  return failing
    .flatMap(({ message, ended }) => [message, ended?.message])
    .find(
      (text) => text !== undefined && text.trim() !== '' && !/^back-off /i.test(text) && ordersIn(text).length === 0,
    );
}

/** Reasons and words of the events that explain a symptom, the most telling first. A crash is explained by a probe that ended it. */
const EVENTS: Readonly<Record<Symptom, readonly { readonly reason: string; readonly words?: RegExp }[]>> = {
  'image-pull': [
    { reason: 'Failed', words: /Failed to pull image/ },
    { reason: 'Failed', words: /pull/ },
  ],
  config: [
    { reason: 'Failed', words: /couldn't find key|not found/ },
    { reason: 'Failed', words: /^Error: / },
    { reason: 'FailedMount' },
  ],
  unschedulable: [{ reason: 'FailedScheduling' }],
  creating: [
    { reason: 'FailedMount' },
    { reason: 'FailedAttachVolume' },
    { reason: 'FailedMapVolume' },
    { reason: 'FailedCreatePodSandBox' },
    { reason: 'NetworkNotReady' },
    { reason: 'FailedCreatePodContainer' },
  ],
  initializing: [],
  crash: [{ reason: 'Unhealthy', words: /(?:Liveness|Startup) probe/ }, { reason: 'FailedPostStartHook' }],
  'not-ready': [{ reason: 'Unhealthy', words: /Readiness probe/ }, { reason: 'Unhealthy' }],
  oom: [],
};

/** The newest Warning of the episode about one of the sick pods that explains the symptom. */
export function symptomEvent(
  view: CaseView,
  sick: readonly Trouble[],
  symptom: Symptom,
): { readonly reason: string; readonly message: string; readonly evidence: readonly EvidenceClaim[] } | undefined {
  const pods = new Set(sick.map(({ pod }) => pod.name));
  const about = (view.events?.value ?? []).filter(
    ({ type, message, regarding, lastSeen }) =>
      type === 'Warning' &&
      pods.has(regarding.name) &&
      isInEpisode(lastSeen, view.episode) &&
      ordersIn(message).length === 0,
  );
  for (const { reason, words } of EVENTS[symptom]) {
    const event = about.findLast((item) => item.reason === reason && (words === undefined || words.test(item.message)));
    const evidence = event === undefined ? [] : quoteEvent(view, event);
    if (event !== undefined && evidence.length > 0) return { reason, message: event.message, evidence };
  }
  return undefined;
}

const NEEDLE = 100;

/** An event as a citation of the events that were read; nothing where it gives orders to its reader. */
export function quoteEvent(view: CaseView, event: EventFact): readonly EvidenceClaim[] {
  const { type, reason, regarding, message } = event;
  return quote(
    view.events,
    `${type} ${reason} ${regarding.kind}/${regarding.name} `,
    oneLine(message, 1_000).slice(0, NEEDLE),
  );
}
