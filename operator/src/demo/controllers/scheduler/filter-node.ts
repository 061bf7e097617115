import type { Node, Pod } from '../shape/pod.ts';
import { matchesNode } from './node-affinity.ts';
import { amounts, podRequests, totalRequests } from './pod-requests.ts';
import { untolerated } from './tolerations.ts';

/** Why a pod cannot go to a node. `helpless` means that no eviction of other pods would change that. */
export type Fit =
  | { readonly kind: 'fits' }
  | { readonly kind: 'refused'; readonly reasons: readonly string[]; readonly helpless: boolean };

const FITS: Fit = { kind: 'fits' };
const UNSCHEDULABLE = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** The first check that refuses speaks for the node, as the scheduler runs them; only the last one can name several reasons. */
export function filterNode(pod: Pod, node: Node, onNode: readonly Pod[]): Fit {
  const tolerations = pod.spec.tolerations ?? [];
  if (node.spec?.unschedulable === true && untolerated([UNSCHEDULABLE], tolerations, ['NoSchedule']) !== undefined)
    return refused('node(s) were unschedulable');
  if (untolerated(node.spec?.taints ?? [], tolerations, ['NoSchedule', 'NoExecute']) !== undefined)
    return refused('node(s) had untolerated taint(s)');
  if (!matchesNode(pod.spec, node)) return refused("node(s) didn't match Pod's node affinity/selector");
  if (portsTaken(pod, onNode))
    return {
      kind: 'refused',
      reasons: ["node(s) didn't have free ports for the requested pod ports"],
      helpless: false,
    };
  return fitsResources(pod, node, onNode);
}

function refused(reason: string): Fit {
  return { kind: 'refused', reasons: [reason], helpless: true };
}

function portsTaken(pod: Pod, onNode: readonly Pod[]): boolean {
  const wanted = hostPorts(pod);
  return wanted.length > 0 && onNode.some((other) => hostPorts(other).some((port) => wanted.includes(port)));
}

function hostPorts(pod: Pod): readonly string[] {
  return pod.spec.containers
    .flatMap((container) => container.ports ?? [])
    .filter((port) => (port.hostPort ?? 0) > 0)
    .map((port) => `${port.protocol ?? 'TCP'}/${port.hostPort}`);
}

function fitsResources(pod: Pod, node: Node, onNode: readonly Pod[]): Fit {
  const allocatable = amounts(node.status?.allocatable ?? node.status?.capacity);
  const used = totalRequests(onNode, podRequests);
  const reasons: string[] = [];
  let helpless = false;
  if (onNode.length + 1 > (allocatable.pods ?? 0)) reasons.push('Too many pods');
  for (const [name, wanted] of Object.entries(podRequests(pod.spec))) {
    const total = allocatable[name] ?? 0;
    if (wanted <= 0 || wanted <= total - (used[name] ?? 0)) continue;
    reasons.push(`Insufficient ${name}`);
    helpless ||= wanted > total;
  }
  return reasons.length === 0 ? FITS : { kind: 'refused', reasons, helpless };
}
