import { inQuotes, quote } from '../quote.ts';
import { finding, type Rule } from '../rule.ts';
import { decisiveWords, podEvidence, symptomEvent } from '../symptom-evidence.ts';
import { namedDeadServices } from '../upstream-names.ts';

export const podsNotReady: Rule = {
  id: 'pods-not-ready',
  question: 'Do its pods run and fail their readiness probe, although no rollout brought it?',
  needs: ['get_pods', 'get_events', 'get_logs'],
  evaluate({ view, rollout }) {
    const sick = view.troubles.filter(({ symptom }) => symptom === 'not-ready');
    const [first] = sick;
    if (first === undefined || view.about === undefined || rollout.kind === 'explains') return [];
    const pods = view.pods?.value ?? [];
    // One pod among ready ones has a reason of its own, which is another question.
    if (sick.length === 1 && pods.some((pod) => pod.ready)) return [];
    if (namedDeadServices(view).length > 0) return [];
    const probe = symptomEvent(view, sick, 'not-ready')?.message;
    const words = decisiveWords(view, sick, 'not-ready');
    const logged =
      words === undefined || words === probe
        ? ''
        : ` The log of container ${first.container ?? ''}: ${inQuotes(words)}.`;
    const stated = probe === undefined ? '' : `: ${inQuotes(probe)}`;
    const silent = probe === undefined && words === undefined ? ' Nothing that was read says why.' : '';
    return finding(podsNotReady, {
      category: 'application',
      statement: `${sick.length} of ${pods.length} pods of ${view.about.kind} ${view.about.name} run and are not ready${stated}.${logged}${silent}`,
      certainty: silent === '' ? 'likely' : 'possible',
      cause: {
        kind: 'pods-not-ready',
        workload: view.about,
        ...(first.container === undefined ? {} : { container: first.container }),
      },
      evidence: [...podEvidence(view, sick, 'not-ready'), ...quote(view.pods, ' pods, ', ' ready')],
    });
  },
};
