import { at, listAt, recordAt, textAt } from '../../operator/src/demo/cluster/json-at.ts';
import type { Stage } from './case.ts';
import { normalise } from './normalise.ts';
import { path } from './objects.ts';

/**
 * Everything that controllers made of a namespace, in a form that is the same however it came about: objects without generated names,
 * sorted by content, and events as a set. How often an event came depends on time and is left out.
 */
export async function view(stage: Stage): Promise<unknown> {
  const items = async (resource: string) =>
    listAt((await stage.admin.get(path(resource, stage.namespace))).body, 'items');
  const [deployments, replicaSets, pods, jobs, slices, budgets, events] = await Promise.all(
    ['deployments', 'replicasets', 'pods', 'jobs', 'endpointslices', 'poddisruptionbudgets', 'events'].map(items),
  );
  const made = {
    deployments: sorted((deployments ?? []).map(workload)),
    replicaSets: sorted((replicaSets ?? []).map(replicaSet)),
    pods: sorted((pods ?? []).map(podView)),
    jobs: sorted((jobs ?? []).map((each) => normalise({ ...recordAt(each), spec: specOf(each) }))),
    slices: sorted((slices ?? []).map(slice)),
    budgets: sorted((budgets ?? []).map((each) => normalise(at(each, 'status')))),
    events: [...new Set((events ?? []).filter(fromController).map((each) => JSON.stringify(event(each))))].sort(),
  };
  return Object.fromEntries(Object.entries(made).filter(([, list]) => list.length > 0));
}

export function isReady(pod: unknown): boolean {
  return listAt(pod, 'status', 'conditions').some(
    (each) => textAt(each, 'type') === 'Ready' && textAt(each, 'status') === 'True',
  );
}

function sorted(list: readonly unknown[]): readonly unknown[] {
  return [...list].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function conditions(object: unknown): unknown {
  return listAt(object, 'status', 'conditions')
    .map((each) => normalise(each))
    .sort((a, b) => ((textAt(a, 'type') ?? '') < (textAt(b, 'type') ?? '') ? -1 : 1));
}

function workload(object: unknown): unknown {
  const { conditions: _, ...status } = recordAt(object, 'status');
  return {
    name: textAt(object, 'metadata', 'name'),
    annotations: normalise(at(object, 'metadata', 'annotations') ?? {}),
    generation: at(object, 'metadata', 'generation'),
    status: normalise(status),
    conditions: conditions(object),
  };
}

function replicaSet(object: unknown): unknown {
  const { template: _t, ...spec } = recordAt(object, 'spec');
  return {
    image: at(object, 'spec', 'template', 'spec', 'containers', 0, 'image'),
    metadata: metadata(object),
    spec: normalise(spec),
    templateLabels: normalise(at(object, 'spec', 'template', 'metadata') ?? {}),
    status: normalise({ ...recordAt(object, 'status'), observedGeneration: isObserved(object) }),
  };
}

/** In how many steps a ReplicaSet was scaled is a matter of timing. */
function isObserved(object: unknown): boolean {
  return at(object, 'status', 'observedGeneration') === at(object, 'metadata', 'generation');
}

function metadata(object: unknown): unknown {
  const { name, labels, annotations, ownerReferences, finalizers } = recordAt(object, 'metadata');
  const zone = 'topology.kubernetes.io/zone';
  // Which node a pod was put on is chance.
  const placed = at(labels, zone) === undefined ? labels : { ...recordAt(labels), [zone]: '#zone' };
  return normalise({ name, labels: placed, annotations, ownerReferences, finalizers });
}

/** What controllers and the API server wrote; what the kubelet wrote is the same on both, for it is the same kubelet. */
function podView(pod: unknown): unknown {
  const { nodeName: _, containers, ...spec } = recordAt(pod, 'spec');
  return {
    metadata: metadata(pod),
    spec: normalise({ ...spec, images: (containers as unknown[]).map((each) => textAt(each, 'image')) }),
    generation: at(pod, 'metadata', 'generation'),
    phase: at(pod, 'status', 'phase'),
    ready: isReady(pod),
    conditions: conditions(pod),
    qosClass: at(pod, 'status', 'qosClass'),
  };
}

function specOf(object: unknown): unknown {
  const { template, ...spec } = recordAt(object, 'spec');
  return { ...spec, templateLabels: at(template, 'metadata') };
}

function slice(object: unknown): unknown {
  const endpoints = listAt(object, 'endpoints').map((each) => {
    const { addresses: _a, nodeName: _n, zone: _z, ...rest } = recordAt(each);
    return normalise(rest);
  });
  const { endpoints: _, metadata: meta, ...rest } = recordAt(object);
  // How often it was written, and whether the last write had one trigger, is a matter of timing.
  const { annotations: _b, generation, ...plain } = recordAt(meta);
  return {
    metadata: normalise(plain),
    generation: typeof generation,
    ...rest,
    endpoints: sorted(endpoints),
  };
}

function event(object: unknown): unknown {
  const { involvedObject, type, reason, message, source, reportingComponent, reportingInstance, action, eventTime } =
    recordAt(object);
  // Many alike are put together by a recorder, sooner or later.
  const told = String(message).replace(/^\(combined from similar events\): /, '');
  return normalise({
    about: [
      textAt(involvedObject, 'kind'),
      textAt(involvedObject, 'apiVersion'),
      textAt(involvedObject, 'fieldPath') ?? '',
    ],
    type,
    reason,
    message: told.replace(/to node-[a-d]/, 'to #node').replace(/from \d+ to \d+$/, 'from # to #'),
    source: textAt(source, 'component') ?? '',
    reportingComponent: told === message ? reportingComponent : textAt(source, 'component'),
    instance: reportingInstance === '' ? '' : 'some',
    action: action ?? '',
    eventTime: eventTime === null ? 'null' : 'set',
  });
}

/** The kubelet's events are the same kubelet's on both sides and depend on time. */
function fromController(object: unknown): boolean {
  return textAt(object, 'source', 'component') !== 'kubelet' && textAt(object, 'reportingComponent') !== 'kubelet';
}
