import type { KubeObject } from '../../cluster/object.ts';
import { controllerReference } from '../shape/ownership.ts';
import type { Pod } from '../shape/pod.ts';
import { PODS } from '../shape/resources.ts';
import type { PodTemplate } from '../shape/workloads.ts';
import type { ControllerContext } from './context.ts';

export interface PodOrigin {
  readonly component: string;
  readonly owner: KubeObject;
  readonly template: PodTemplate;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Creates one pod from a template, named after its owner, and says so on the owner. Throws what the store throws. */
export function createPod({ store, events }: ControllerContext, origin: PodOrigin): Pod {
  const { owner, template, component } = origin;
  const { labels, annotations } = template.metadata ?? {};
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: '',
      generateName: `${owner.metadata.name}-`,
      ...(owner.metadata.namespace === undefined ? {} : { namespace: owner.metadata.namespace }),
      labels: { ...labels, ...origin.labels },
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference(owner)],
    },
    spec: template.spec,
    status: { phase: 'Pending' },
  };
  try {
    const created = store.create(PODS, pod) as Pod;
    const message = `Created pod: ${created.metadata.name}`;
    events.record(component, owner, { type: 'Normal', reason: 'SuccessfulCreate', message });
    return created;
  } catch (error: unknown) {
    const message = `Error creating: ${error instanceof Error ? error.message : String(error)}`;
    events.record(component, owner, { type: 'Warning', reason: 'FailedCreate', message });
    throw error;
  }
}
