import type { ServiceFact } from './facts.ts';
import { projectMeta } from './project-meta.ts';
import { given, numberAt, type Raw, recordAt, recordsAt, stringMapAt, textAt } from './raw.ts';

const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';

/** A Service with what its EndpointSlices say; `slices` may hold those of other Services too. */
export function projectService(object: Raw, slices: readonly Raw[]): ServiceFact {
  const { namespace, name, uid } = projectMeta(object);
  const spec = recordAt(object, 'spec');
  const own = slices.filter((slice) => {
    const meta = projectMeta(slice);
    return meta.namespace === namespace && meta.labels[SERVICE_NAME_LABEL] === name;
  });
  return {
    kind: 'Service',
    namespace,
    name,
    uid,
    selector: stringMapAt(spec, 'selector'),
    ports: recordsAt(spec, 'ports').map((port) => ({
      ...given('name', textAt(port, 'name')),
      port: numberAt(port, 'port') ?? 0,
    })),
    endpoints: projectEndpoints(own.flatMap((slice) => recordsAt(slice, 'endpoints'))),
  };
}

function projectEndpoints(endpoints: readonly Raw[]): ServiceFact['endpoints'] {
  // A dual-stack Service lists each pod once an address family; an absent condition counts as ready, as the API says.
  const readyByPod = new Map<string, boolean>();
  for (const [index, endpoint] of endpoints.entries()) {
    const pod = textAt(recordAt(endpoint, 'targetRef'), 'name') ?? `#${index}`;
    const ready = recordAt(endpoint, 'conditions').ready !== false;
    readyByPod.set(pod, (readyByPod.get(pod) ?? false) || ready);
  }
  const ready = [...readyByPod.values()].filter(Boolean).length;
  return {
    ready,
    notReady: readyByPod.size - ready,
    podNames: [...readyByPod.keys()].filter((name) => !name.startsWith('#')),
  };
}
