import { blastRadius } from '@hephaisto/core/action/catalogue';
import { type Check, clear, unreadable, violated } from '../check.ts';

export const blastRadiusPods: Check = ({ workload, request, rule }) => {
  if (!workload.known) return unreadable('the size of the workload', workload.why);
  if (rule === undefined) return { kind: 'unknown', message: 'no rule says how many pods may be disturbed' };
  const { pods } = blastRadius(request, workload.value.replicas);
  const measured = { pods, most: rule.maxPods };
  return pods > rule.maxPods
    ? violated('blast_radius_pods', `${pods} pods would be disturbed at once, more than ${rule.maxPods}`, measured)
    : clear(`${pods} pods would be disturbed at once`, measured);
};
