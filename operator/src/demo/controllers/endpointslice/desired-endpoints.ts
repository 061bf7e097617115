import { containsLabels } from '../shape/label-selector.ts';
import type { Pod } from '../shape/pod.ts';
import { isFinished, isReady } from '../shape/pod-facts.ts';
import type { Service } from '../shape/workloads.ts';

export interface Endpoint {
  readonly addresses: readonly string[];
  readonly conditions: { readonly ready: boolean; readonly serving: boolean; readonly terminating: boolean };
  readonly targetRef: { readonly kind: 'Pod'; readonly namespace: string; readonly name: string; readonly uid: string };
  readonly nodeName?: string;
}

export interface EndpointPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  readonly appProtocol?: string;
}

/** One slice's content. Nothing to list is null and not an empty list, as the API answers it. */
export interface SliceContent {
  readonly endpoints: readonly Endpoint[] | null;
  readonly ports: readonly EndpointPort[] | null;
}

/**
 * What a Service's traffic may reach. Pods whose containers name the same port by different numbers cannot share a slice, so there
 * is one slice for each set of ports; a Service without any pod still has one, empty.
 */
export function desiredSlices(service: Service, pods: readonly Pod[]): readonly SliceContent[] {
  const selector = service.spec.selector ?? {};
  const reachable = pods.filter(
    (pod) => containsLabels(pod.metadata.labels, selector) && !isFinished(pod) && podAddress(pod) !== undefined,
  );
  const groups = Map.groupBy(reachable, (pod) => JSON.stringify(portsOf(service, pod)));
  if (groups.size === 0) return [{ endpoints: null, ports: null }];
  return [...groups].map(([ports, members]) => ({
    endpoints: members.map((pod) => endpointOf(service, pod)),
    ports: JSON.parse(ports) as readonly EndpointPort[],
  }));
}

function podAddress(pod: Pod): string | undefined {
  return pod.status?.podIP || pod.status?.podIPs?.[0]?.ip;
}

function endpointOf(service: Service, pod: Pod): Endpoint {
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const publishAlways = service.spec.publishNotReadyAddresses === true;
  const serving = isReady(pod);
  const { nodeName } = pod.spec;
  return {
    addresses: [podAddress(pod) ?? ''],
    conditions: { ready: publishAlways || (serving && !terminating), serving, terminating },
    ...(nodeName === undefined ? {} : { nodeName }),
    targetRef: {
      kind: 'Pod',
      namespace: pod.metadata.namespace ?? '',
      name: pod.metadata.name,
      uid: pod.metadata.uid ?? '',
    },
  };
}

/** A named target port is looked up in each pod; a pod that does not have it is reached without that port. */
function portsOf(service: Service, pod: Pod): readonly EndpointPort[] {
  return (service.spec.ports ?? []).flatMap(({ name = '', protocol = 'TCP', port, targetPort, appProtocol }) => {
    const number = typeof targetPort === 'string' ? namedPort(pod, targetPort, protocol) : targetPort || port;
    if (number === undefined) return [];
    return [{ name, port: number, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

function namedPort(pod: Pod, name: string, protocol: string): number | undefined {
  return pod.spec.containers
    .flatMap((container) => container.ports ?? [])
    .find((port) => port.name === name && (port.protocol ?? 'TCP') === protocol)?.containerPort;
}
