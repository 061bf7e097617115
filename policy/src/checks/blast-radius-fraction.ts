import { blastRadius } from '@hephaisto/core/action/catalogue';
import { type Check, clear, unreadable, violated } from '../check.ts';

/** A single replica has no fractions: losing it is asked elsewhere. */
export const blastRadiusFraction: Check = ({ workload, request, rule }) => {
  if (!workload.known) return unreadable('the size of the workload', workload.why);
  if (rule === undefined) return { kind: 'unknown', message: 'no rule says how much of a workload may be disturbed' };
  const { pods, of } = blastRadius(request, workload.value.replicas);
  const measured = { pods, of, mostFraction: rule.maxFraction };
  return of > 1 && pods / of > rule.maxFraction
    ? violated('blast_radius_fraction', `${pods} of ${of} pods would be disturbed at once`, measured)
    : clear(`${pods} of ${of} pods would be disturbed at once`, measured);
};
