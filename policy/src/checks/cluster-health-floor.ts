import { type Check, clear, unreadable, violated } from '../check.ts';
import type { ClusterHealth, PolicyInput } from '../input.ts';

export const clusterHealthFloor: Check = ({ clusterHealth, healthLimits }) => {
  if (!clusterHealth.known) return unreadable('the health of the cluster', clusterHealth.why);
  const { pods, unreadyPods, nodes, unreadyNodes, namespaces } = clusterHealth.value;
  const where = namespaces === undefined ? 'of the cluster' : `of the ${namespaces.length} watched namespaces`;
  const measured = { pods, unreadyPods, nodes, unreadyNodes };
  if (isOver(unreadyPods, pods, healthLimits.maxUnreadyPods))
    return violated(
      'cluster_unhealthy',
      `${unreadyPods} of ${pods} pods ${where} are not ready; something larger is going on`,
      measured,
    );
  if (isOver(unreadyNodes, nodes, healthLimits.maxUnreadyNodes))
    return violated(
      'cluster_unhealthy',
      `${unreadyNodes} of ${nodes} nodes are not ready; something larger is going on`,
      measured,
    );
  return clear(`${unreadyPods} of ${pods} pods ${where} and ${unreadyNodes} of ${nodes} nodes are not ready`, measured);
};

export function isClusterUnhealthy(health: ClusterHealth, limits: PolicyInput['healthLimits']): boolean {
  return (
    isOver(health.unreadyPods, health.pods, limits.maxUnreadyPods) ||
    isOver(health.unreadyNodes, health.nodes, limits.maxUnreadyNodes)
  );
}

function isOver(part: number, whole: number, most: number): boolean {
  return whole > 0 && part / whole > most;
}
