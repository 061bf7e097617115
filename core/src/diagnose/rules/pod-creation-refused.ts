import { ordersIn } from '../../evidence/taint.ts';
import type { EventFact } from '../../facts/facts.ts';
import { isInEpisode } from '../episode.ts';
import { inQuotes, quote } from '../quote.ts';
import { type Refusal, refusalIn } from '../refusal-forms.ts';
import { finding, type Rule } from '../rule.ts';
import { quoteEvent } from '../symptom-evidence.ts';
import type { CaseView } from '../view.ts';

export const podCreationRefused: Rule = {
  id: 'pod-creation-refused',
  question: 'Does the API server refuse to create the pods?',
  needs: ['get_workload', 'get_events'],
  evaluate({ view }) {
    if (view.about === undefined || !lacksPods(view)) return [];
    const event = newestRefusal(view);
    const condition = view.workload?.value.conditions.find(
      ({ type, status }) => type === 'ReplicaFailure' && status === 'True',
    );
    const message = event?.message ?? condition?.message;
    if (message === undefined || ordersIn(message).length > 0) return [];
    const refusal = refusalIn(message);
    return finding(podCreationRefused, {
      category: refusal.by === 'quota' || refusal.by === 'limit-range' ? 'capacity' : 'configuration',
      statement: `${nameOf(refusal)} refuses new pods of ${view.about.kind} ${view.about.name}: ${inQuotes(message)}.`,
      // The API server's own answer to the controller's request; nothing has to be concluded.
      certainty: 'proven',
      cause: {
        kind: 'pod-creation-refused',
        workload: view.about,
        by: refusal.by,
        ...(refusal.name === undefined ? {} : { name: refusal.name }),
      },
      evidence: [
        ...(event === undefined ? [] : quoteEvent(view, event)),
        ...quote(view.workload, 'condition ReplicaFailure True'),
        ...quote(view.workload, 'wants '),
      ],
    });
  },
};

/** A refusal is a fault only while pods are missing: events outlive a quota that has been raised. */
function lacksPods(view: CaseView): boolean {
  const workload = view.workload?.value;
  if (workload !== undefined) {
    const isRefused = workload.conditions.some(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
    return isRefused || workload.status.replicas < workload.replicas;
  }
  const job = view.job?.value;
  return job !== undefined && job.active === 0 && job.succeeded === 0;
}

function newestRefusal(view: CaseView): EventFact | undefined {
  return (view.events?.value ?? []).findLast(
    ({ type, reason, message, lastSeen }) =>
      type === 'Warning' &&
      reason === 'FailedCreate' &&
      isInEpisode(lastSeen, view.episode) &&
      ordersIn(message).length === 0,
  );
}

function nameOf({ noun, name }: Refusal): string {
  const subject = name === undefined ? `The ${noun}` : `${noun} ${name}`;
  return subject.charAt(0).toUpperCase() + subject.slice(1);
}
