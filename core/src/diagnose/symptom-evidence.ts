import type { EvidenceClaim } from '../finding/finding.ts';
import { quote } from './quote.ts';
import type { Symptom, Trouble } from './trouble.ts';
import type { CaseView } from './view.ts';

export const SYMPTOM_WORDS: Readonly<Record<Symptom, string>> = {
  crash: 'crash',
  oom: 'are killed for memory',
  'image-pull': 'cannot pull their image',
  config: 'cannot be configured',
  unschedulable: 'find no node',
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
  return [...line, ...eventEvidence(view, symptom)];
}

/** Event reasons and words that speak of the symptom itself. */
const EVENTS: Readonly<Partial<Record<Symptom, readonly (readonly [string, string])[]>>> = {
  'image-pull': [
    ['Warning Failed', 'Failed to pull image'],
    ['Warning Failed', 'pull'],
  ],
  config: [
    ['Warning Failed', "couldn't find key"],
    ['Warning Failed', 'not found'],
    ['Warning FailedMount', ''],
  ],
  unschedulable: [['Warning FailedScheduling', '']],
};

export function eventEvidence(view: CaseView, symptom: Symptom): readonly EvidenceClaim[] {
  for (const [reason, words] of EVENTS[symptom] ?? []) {
    const found = quote(view.events, reason, words);
    if (found.length > 0) return found;
  }
  return [];
}
