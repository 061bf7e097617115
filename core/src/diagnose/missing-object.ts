import type { Gap } from '../finding/finding.ts';
import type { InvestigationSubject } from '../investigation/investigator.ts';
import { missingObjectText } from '../signal/missing-object.ts';
import type { Known } from './known.ts';

const WOULD_HAVE_TOLD = 'which workloads the alert is about';

/** An incident about an object that is not there: nothing can be read of it, which is an answer. */
export function missingObject(subject: InvestigationSubject, known: Known): Gap | undefined {
  const { namespace, owner } = subject;
  if (namespace === undefined || owner === undefined) return undefined;
  const query = `${owner.kind} ${namespace}/${owner.name}`;
  if (owner.kind === 'Service') {
    const services = known.one('get_services', (args) => args.namespace === namespace);
    if (services === undefined || services.value.some(({ name }) => name === owner.name)) return undefined;
    const message = `Service ${owner.name} does not exist in namespace ${namespace}`;
    return { source: 'get_services', query, reason: 'not-found', message, wouldHaveTold: WOULD_HAVE_TOLD };
  }
  // No tool reads autoscalers, claims and Ingresses. Intake asked the cluster for the object when the alert came.
  const missing = missingObjectText(owner, namespace);
  if (!subject.signals.some(({ message }) => message.startsWith(missing))) return undefined;
  const message = `${owner.kind} ${owner.name} did not exist in namespace ${namespace} when the alert came`;
  return { source: 'alert', query, reason: 'not-found', message, wouldHaveTold: WOULD_HAVE_TOLD };
}
