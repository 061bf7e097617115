import { LABEL_DOMAIN } from '@hephaisto/core/names';
import type { KubeClient } from '../kube-client/kube-client.ts';
import { isKubeCode } from '../kube-client/kube-error.ts';
import { LEASES, NAMESPACES, NODES } from '../kube-client/resource.ts';
import { retrying } from '../kube-client/retry.ts';
import type { Lease, NodeObject } from '../kube-client/workload.ts';
import type { Pace } from '../pace.ts';
import { apiTime } from './container-status.ts';

/** A machine that the kubelet pretends to be. Quantities as Kubernetes writes them. */
export interface NodeSpec {
  readonly name: string;
  readonly cpu: string;
  readonly memory: string;
  readonly zone: string;
}

/** Marks the nodes that the story kubelet plays, so that nothing else takes them for its own. */
export const STORY_NODE_LABEL = `${LABEL_DOMAIN}/story-node`;

const LEASE_NAMESPACE = 'kube-node-lease';
const LEASE_SECONDS = 40;
const RENEW_MS = 10_000;
const PODS_PER_NODE = '250';

function condition(type: string, status: string, reason: string, message: string, now: string) {
  return { type, status, reason, message, lastHeartbeatTime: now, lastTransitionTime: now };
}

/** The Node object as a kubelet registers it. Pure. */
export function nodeObject(spec: NodeSpec, kubeletPort: number, now: string): NodeObject {
  const amounts = { cpu: spec.cpu, memory: spec.memory, pods: PODS_PER_NODE, 'ephemeral-storage': '100Gi' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: spec.name,
      labels: {
        'kubernetes.io/hostname': spec.name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'topology.kubernetes.io/zone': spec.zone,
        [STORY_NODE_LABEL]: 'true',
      },
    },
    spec: {},
    status: {
      capacity: amounts,
      allocatable: amounts,
      addresses: [
        { type: 'InternalIP', address: '127.0.0.1' },
        { type: 'Hostname', address: spec.name },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } },
      conditions: [
        condition(
          'MemoryPressure',
          'False',
          'KubeletHasSufficientMemory',
          'kubelet has sufficient memory available',
          now,
        ),
        condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure', now),
        condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available', now),
        condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status', now),
      ],
      nodeInfo: {
        architecture: 'amd64',
        bootID: '',
        containerRuntimeVersion: 'containerd://2.1.4',
        kernelVersion: '6.12.0',
        kubeProxyVersion: '',
        kubeletVersion: 'v1.36.3',
        machineID: '',
        operatingSystem: 'linux',
        osImage: 'simulated',
        systemUUID: '',
      },
    },
  };
}

/** Registers the node or takes it over, with its status posted anew. */
export async function registerNode(
  client: KubeClient,
  pace: Pace,
  spec: NodeSpec,
  kubeletPort: number,
): Promise<NodeObject> {
  const fresh = nodeObject(spec, kubeletPort, apiTime(pace.now().getTime()));
  await client.create(NODES, fresh).catch((error: unknown) => {
    if (!isKubeCode(error, 409)) throw error;
  });
  return retrying(pace, async () => {
    const stored = await client.get(NODES, undefined, spec.name);
    return client.replaceStatus(NODES, { ...stored, status: { ...stored.status, ...fresh.status } });
  });
}

async function createLease(client: KubeClient, node: NodeObject, spec: Lease['spec']): Promise<Lease> {
  const uid = node.metadata.uid ?? '';
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: node.metadata.name, uid }];
  const metadata = { name: node.metadata.name, namespace: LEASE_NAMESPACE, ownerReferences };
  const lease: Lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata,
    ...(spec === undefined ? {} : { spec }),
  };
  try {
    return await client.create(LEASES, lease);
  } catch (error) {
    if (!isKubeCode(error, 404)) throw error;
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: LEASE_NAMESPACE } });
    return client.create(LEASES, lease);
  }
}

async function renewOnce(client: KubeClient, pace: Pace, node: NodeObject): Promise<void> {
  const renewTime = pace.now().toISOString().replace('Z', '000Z');
  const spec = { holderIdentity: node.metadata.name, leaseDurationSeconds: LEASE_SECONDS, renewTime };
  try {
    await client.patch(LEASES, LEASE_NAMESPACE, node.metadata.name, [{ op: 'add', path: '/spec', value: spec }]);
  } catch (error) {
    if (!isKubeCode(error, 404)) throw error;
    await createLease(client, node, spec);
  }
}

/** Renews the node's lease every ten real seconds (a lease is never compressed) until the signal aborts, then resolves. */
export async function keepLease(
  client: KubeClient,
  pace: Pace,
  node: NodeObject,
  signal: AbortSignal,
  onTrouble: (error: unknown) => void,
): Promise<void> {
  while (!signal.aborted) {
    await renewOnce(client, pace, node).catch((error: unknown) => {
      if (!signal.aborted) onTrouble(error);
    });
    await pace.sleep(RENEW_MS * pace.speed, signal).catch(() => undefined);
  }
}
