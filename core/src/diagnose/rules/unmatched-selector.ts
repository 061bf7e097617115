import { inQuotes, quote } from '../quote.ts';
import { finding, type Rule } from '../rule.ts';
import { readBackend, selectorText } from '../selected-pods.ts';

export const unmatchedSelector: Rule = {
  id: 'unmatched-selector',
  question: 'Does the selector of the Service match no pod?',
  needs: ['get_services', 'get_pods'],
  evaluate({ view }) {
    const { owner } = view.subject;
    if (owner?.kind !== 'Service') return [];
    const service = view.services?.value.find(({ name }) => name === owner.name);
    const pods = service === undefined ? undefined : readBackend(view.known, service);
    if (service === undefined || pods === undefined || pods.value.length > 0) return [];
    return finding(unmatchedSelector, {
      category: 'configuration',
      statement: `Service ${service.name} has no endpoint: its selector ${inQuotes(selectorText(service))} matches no pod in namespace ${service.namespace}.`,
      // That no pod matches is read; whether the selector or the missing pods are the mistake is not.
      certainty: 'likely',
      cause: {
        kind: 'unmatched-selector',
        service: { kind: 'Service', namespace: service.namespace, name: service.name },
        selector: selectorText(service).slice(0, 500),
      },
      evidence: [...quote(view.services, `service ${service.name}: `), ...quote(pods, ': 0 pods, 0 ready')],
    });
  },
};
