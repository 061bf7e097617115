import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../cluster/object.ts';
import { type ControllerContext, type Running, removeIfPresent, runningWith } from '../runtime/context.ts';
import { createWorkQueue, type Outcome, SETTLED } from '../runtime/work-queue.ts';
import { containsLabels } from '../shape/label-selector.ts';
import { controllerReference, keyOf, splitKey } from '../shape/ownership.ts';
import type { Pod } from '../shape/pod.ts';
import { ENDPOINT_SLICES, PODS, SERVICES } from '../shape/resources.ts';
import { timestamp } from '../shape/timestamp.ts';
import type { Service } from '../shape/workloads.ts';
import { desiredSlices, type SliceContent } from './desired-endpoints.ts';

const COMPONENT = 'endpoint-slice-controller';
const SERVICE_NAME = 'kubernetes.io/service-name';
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const MANAGER = 'endpointslice-controller.k8s.io';
const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';

/** Lists, for each Service with a selector, the pods that its traffic may reach. */
export function startEndpointSlices(context: ControllerContext): Running {
  const { store, pace } = context;
  const queue = createWorkQueue({
    pace,
    reconcile: (key) => reconcile(context, key),
    onError: (key, error) => context.onError(COMPONENT, key, error),
  });
  const unsubscribe = [
    store.subscribe(SERVICES, ({ object }) => queue.add(keyOf(object))),
    store.subscribe(PODS, ({ object }) => {
      const services = store.list(SERVICES, object.metadata.namespace) as readonly Service[];
      for (const service of services) if (reaches(service, object)) queue.add(keyOf(service));
    }),
    store.subscribe(ENDPOINT_SLICES, ({ type, object }) => {
      const service = object.metadata.labels?.[SERVICE_NAME];
      if (type === 'DELETED' && service !== undefined) queue.add(`${object.metadata.namespace}/${service}`);
    }),
  ];
  for (const service of store.list(SERVICES)) queue.add(keyOf(service));
  return runningWith(queue, unsubscribe);
}

function reaches(service: Service, pod: KubeObject): boolean {
  const selector = service.spec.selector ?? {};
  return Object.keys(selector).length > 0 && containsLabels(pod.metadata.labels, selector);
}

function reconcile({ store, pace }: ControllerContext, key: string): Outcome {
  const { namespace, name } = splitKey(key);
  const service = store.get(SERVICES, namespace, name) as Service | undefined;
  const existing = store
    .list(ENDPOINT_SLICES, namespace)
    .filter(({ metadata }) => metadata.labels?.[SERVICE_NAME] === name && metadata.labels[MANAGED_BY] === MANAGER);
  const selector = service?.spec.selector ?? {};
  if (service === undefined || service.spec.type === 'ExternalName' || Object.keys(selector).length === 0) {
    // The slices of a Service that is gone go with their owner.
    if (service !== undefined) for (const slice of existing) removeIfPresent(store, ENDPOINT_SLICES, slice);
    return SETTLED;
  }
  const wanted = desiredSlices(service, store.list(PODS, namespace) as readonly Pod[]);
  const left = [...existing];
  for (const content of wanted) {
    const index = Math.max(
      0,
      left.findIndex((slice) => isDeepStrictEqual(slice.ports, content.ports)),
    );
    const [slice] = left.splice(index, 1);
    const trigger = timestamp(pace.now());
    if (slice === undefined) store.create(ENDPOINT_SLICES, newSlice(service, content, trigger));
    else if (!isDeepStrictEqual(contentOf(slice), content))
      store.update(ENDPOINT_SLICES, changedSlice(slice, content, trigger));
  }
  for (const slice of left) removeIfPresent(store, ENDPOINT_SLICES, slice);
  return SETTLED;
}

function contentOf(slice: KubeObject): unknown {
  return { endpoints: slice.endpoints ?? null, ports: slice.ports ?? null };
}

function newSlice(service: Service, content: SliceContent, trigger: string): KubeObject {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: '',
      generateName: `${service.metadata.name}-`,
      namespace: service.metadata.namespace ?? '',
      labels: { ...service.metadata.labels, [MANAGED_BY]: MANAGER, [SERVICE_NAME]: service.metadata.name },
      annotations: { [TRIGGER_TIME]: trigger },
      ownerReferences: [{ ...controllerReference(service), apiVersion: 'v1', kind: 'Service' }],
    },
    addressType: 'IPv4',
    ...content,
  };
}

function changedSlice(slice: KubeObject, content: SliceContent, trigger: string): KubeObject {
  const { resourceVersion: _, ...metadata } = slice.metadata;
  return {
    ...slice,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [TRIGGER_TIME]: trigger } },
    ...content,
  };
}
