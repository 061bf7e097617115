import { type Check, clear, unreadable, violated } from '../check.ts';

/** Only taking away what serves can make an outage; a pod that does not serve is none. */
export const lastReadyReplica: Check = ({ workload, target, request }) => {
  if (!workload.known) return unreadable('the readiness of the workload', workload.why);
  if (!target.known) return unreadable('the readiness of the target', target.why);
  const { ready } = workload.value;
  const takesServing =
    request.type === 'RestartPod'
      ? target.value.ready
      : request.type === 'ScaleWorkload' && request.params.toReplicas < request.params.fromReplicas;
  const measured = { ready };
  return takesServing && ready <= 1
    ? violated('last_ready_replica', 'the only pod that serves would be taken away', measured)
    : clear(`${ready} pods serve, and one of them stays`, measured);
};
