import type { ObjectRef } from '../../facts/facts.ts';
import type { Symptom } from '../../finding/symptom.ts';
import { allSick } from '../gather.ts';
import { inQuotes, quote, quoteLine } from '../quote.ts';
import { finding, type Rule, refuted } from '../rule.ts';
import { readBackend, selectorText } from '../selected-pods.ts';
import { podEvidence } from '../symptom-evidence.ts';
import { type NamedService, namedDeadServices } from '../upstream-names.ts';
import { type CaseView, controllerOf } from '../view.ts';

export const upstream: Rule = {
  id: 'upstream',
  question: 'Does it fail because something it calls is down?',
  needs: ['get_logs', 'get_services'],
  evaluate({ view }) {
    const sick = view.troubles.filter(({ symptom }) => CALLING.includes(symptom));
    if (sick.length === 0 || view.about === undefined || view.services === undefined) return [];
    const named = namedDeadServices(view)[0];
    if (named === undefined) {
      return refuted(
        upstream,
        'no Service without a ready endpoint is named in its log',
        quote(view.services, `services of ${view.subject.namespace ?? ''}: `),
      );
    }
    const { service } = named;
    const backend = backendOf(view, named);
    const claim = quoteLine(named.log, named.line);
    return finding(upstream, {
      category: 'dependency',
      statement: `It fails because Service ${service.name} has no ready endpoint${backend === undefined ? selectsNobody(view, named) : `: the pods of ${backend.ref.kind} ${backend.ref.name} behind it ${backend.sick ? 'fail' : 'are not ready'}`}. Its log: ${inQuotes(named.line)}.`,
      // That the callee is down and the caller complains of it is seen; that nothing else is wrong with the caller is not.
      certainty: 'likely',
      cause: {
        kind: 'upstream',
        workload: view.about,
        service: { kind: 'Service', namespace: service.namespace, name: service.name },
        ...(backend === undefined ? {} : { backend: backend.ref }),
      },
      evidence: [
        ...(claim === undefined ? [] : [claim]),
        ...quote(view.services, `service ${service.name}: 0 ready endpoints`),
        ...(backend?.evidence ?? []),
        ...podEvidence(view, sick, sick[0]?.symptom ?? 'crash').slice(0, 1),
      ],
    });
  },
};

/** Symptoms of a container that may wait for something it calls. */
const CALLING: readonly Symptom[] = ['crash', 'not-ready', 'initializing'];

function selectsNobody(view: CaseView, { service }: NamedService): string {
  const pods = readBackend(view.known, service);
  return pods?.value.length === 0 ? `: its selector ${inQuotes(selectorText(service))} matches no pod` : '';
}

function backendOf(view: CaseView, { service }: NamedService) {
  const reading = readBackend(view.known, service);
  const pod = reading?.value.find((candidate) => candidate.deletingSince === undefined);
  const ref: ObjectRef | undefined = pod === undefined ? undefined : controllerOf(pod);
  if (reading === undefined || pod === undefined || ref === undefined) return undefined;
  return {
    ref,
    sick: allSick(reading.value, view.episode),
    evidence: quote(reading, `pod ${pod.name} container `),
  };
}
