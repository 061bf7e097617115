import type { RevisionFact, WorkloadFact } from './facts.ts';
import { recordAt, textAt } from './raw.ts';

export type RevisionInForce =
  | { readonly kind: 'known'; readonly revision: number }
  | { readonly kind: 'unknown'; readonly why: string };

/**
 * The revision of the template that the controller works towards. Only a Deployment carries its number; a StatefulSet names a
 * ControllerRevision, and a DaemonSet gives the template in force the highest number, also when it was rolled back to.
 */
export function revisionInForce(workload: WorkloadFact, revisions: readonly RevisionFact[]): RevisionInForce {
  if (workload.revision !== undefined) return { kind: 'known', revision: workload.revision };
  // Until the controller has seen the last change, its newest revision is the one of the template before.
  if (workload.observedGeneration < workload.generation)
    return unknown(`the controller has not observed the present template of ${workload.kind} ${workload.name}`);
  const named = textAt(recordAt(workload.raw, 'status'), 'updateRevision');
  const [first] = revisions;
  if (first === undefined) return unknown(`${workload.kind} ${workload.name} has no revisions`);
  if (named === undefined) return { kind: 'known', revision: Math.max(...revisions.map(({ revision }) => revision)) };
  const found = revisions.find(({ name }) => name === named);
  return found === undefined
    ? unknown(`the revision \`${named}\` of ${workload.kind} ${workload.name} is not kept by the cluster`)
    : { kind: 'known', revision: found.revision };
}

function unknown(why: string): RevisionInForce {
  return { kind: 'unknown', why };
}
