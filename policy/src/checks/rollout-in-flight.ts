import { type Check, clear, unreadable, violated } from '../check.ts';

export const rolloutInFlight: Check = ({ workload }) => {
  if (!workload.known) return unreadable('the state of the rollout', workload.why);
  return workload.value.rolloutInFlight
    ? violated('rollout_in_flight', 'a rollout is under way: a generation is not yet observed, or older pods remain')
    : clear('no rollout is under way');
};
