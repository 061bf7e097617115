import type { PodFact, ServiceFact } from '../facts/facts.ts';
import type { Known, Reading } from './known.ts';
import { callKey, type TypedCall } from './tools.ts';

export function backendRead(service: ServiceFact): TypedCall {
  return { tool: 'get_pods', args: { namespace: service.namespace, selector: service.selector } };
}

/** The pods that the Service selects; undefined where they were not read. */
export function readBackend(known: Known, service: ServiceFact): Reading<readonly PodFact[]> | undefined {
  const wanted = callKey(backendRead(service));
  return known.all('get_pods').find(({ args }) => callKey({ tool: 'get_pods', args }) === wanted);
}

/** As `kubectl get pods -l` takes it. */
export function selectorText({ selector }: Pick<ServiceFact, 'selector'>): string {
  return Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}
