import { type Check, clear, unreadable, violated } from '../check.ts';

/** What lifts the gates on rollouts for a rollback is that it aims at the very revision that the finding blames. */
export const revisionInFlight: Check = ({ workload, finding, request }) => {
  if (!workload.known) return unreadable('the revision in force', workload.why);
  const blamed = finding?.revision ?? (request.type === 'RollbackWorkload' ? request.params.fromRevision : undefined);
  const current = workload.value.currentRevision;
  if (blamed === undefined || current === undefined)
    return { kind: 'unknown', message: 'no revision is named, or none is in force' };
  return blamed === current
    ? clear(`revision ${current} is in force, the one that the finding names`, { revision: current })
    : violated('revision_moved', `expected revision ${blamed} in force, found ${current}`, {
        expected: blamed,
        found: current,
      });
};
