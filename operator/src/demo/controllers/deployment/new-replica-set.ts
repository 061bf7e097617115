import { templateHash } from '../shape/names.ts';
import { controllerReference } from '../shape/ownership.ts';
import type { Deployment, ReplicaSet } from '../shape/workloads.ts';
import { fenceposts, replicasOf } from './fenceposts.ts';
import { inheritedAnnotations, sizeAnnotations, TEMPLATE_HASH_LABEL } from './revision.ts';
import { roomToGrow } from './rolling-arithmetic.ts';

/** The ReplicaSet of a template that the Deployment has not had before, named for the template's hash so that creating it twice is one thing. */
export function newReplicaSet(deployment: Deployment, others: readonly ReplicaSet[], revision: number): ReplicaSet {
  const { template, selector, minReadySeconds } = deployment.spec;
  const hash = templateHash(template, deployment.status?.collisionCount);
  const labels = { ...template.metadata?.labels, [TEMPLATE_HASH_LABEL]: hash };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      ...(deployment.metadata.namespace === undefined ? {} : { namespace: deployment.metadata.namespace }),
      labels,
      annotations: {
        ...inheritedAnnotations(deployment, {}, revision),
        ...sizeAnnotations(replicasOf(deployment), fenceposts(deployment).surge),
      },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas: roomToGrow(deployment, others, 0),
      ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [TEMPLATE_HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}
