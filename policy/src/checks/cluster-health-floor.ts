import { type Check, clear, unreadable, violated } from '../check.ts';

export const clusterHealthFloor: Check = ({ clusterHealth, healthLimits }) => {
  if (!clusterHealth.known) return unreadable('the health of the cluster', clusterHealth.why);
  const { pods, unreadyPods, nodes, unreadyNodes } = clusterHealth.value;
  const measured = { pods, unreadyPods, nodes, unreadyNodes };
  if (pods > 0 && unreadyPods / pods > healthLimits.maxUnreadyPods)
    return violated(
      'cluster_unhealthy',
      `${unreadyPods} of ${pods} pods of the cluster are not ready; something larger is going on`,
      measured,
    );
  if (nodes > 0 && unreadyNodes / nodes > healthLimits.maxUnreadyNodes)
    return violated(
      'cluster_unhealthy',
      `${unreadyNodes} of ${nodes} nodes are not ready; something larger is going on`,
      measured,
    );
  return clear(`${unreadyPods} of ${pods} pods and ${unreadyNodes} of ${nodes} nodes are not ready`, measured);
};
