import type { KubeObject } from '../object.ts';

const TOPOLOGY = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];

/** A pod that is put on a node takes over the labels that say where the node stands. */
export function withTopology<T extends KubeObject>(pod: T, node: KubeObject | undefined): T {
  const found = Object.entries(node?.metadata.labels ?? {}).filter(([key]) => TOPOLOGY.includes(key));
  if (found.length === 0) return pod;
  const labels = { ...pod.metadata.labels, ...Object.fromEntries(found) };
  return { ...pod, metadata: { ...pod.metadata, labels } };
}
