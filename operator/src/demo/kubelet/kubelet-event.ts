import type { Pod } from '../kube-client/pod.ts';
import { goDuration } from './back-off.ts';

/** An Event that a kubelet records about a pod, or about one container of it. */
export interface KubeletEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** e.g. `spec.containers{app}` */
  readonly fieldPath?: string;
}

/** A pod as kubelet texts name it. */
export function podDescription(pod: Pod): string {
  return `${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`;
}

/** The waiting message of a container in CrashLoopBackOff. */
export function crashLoopMessage(pod: Pod, container: string, seconds: number): string {
  return `back-off ${goDuration(seconds)} restarting failed container=${container} pod=${podDescription(pod)}`;
}

/** The runtime's error for an image that cannot be pulled. */
export function pullErrorText(image: string, error: string): string {
  return `rpc error: code = ${error.endsWith('not found') ? 'NotFound' : 'Unknown'} desc = failed to pull and unpack image "${image}": failed to resolve image: ${image}: ${error}`;
}

/** The waiting message of a container in ImagePullBackOff. */
export function pullBackOffMessage(image: string, error: string): string {
  return `Back-off pulling image "${image}": ErrImagePull: ${error}`;
}

/** Events of one container, by what happened to it. */
export function containerEvents(container: string, init: boolean, image: string) {
  const fieldPath = `spec.${init ? 'initContainers' : 'containers'}{${container}}`;
  const event = (type: KubeletEvent['type'], reason: string, message: string): KubeletEvent => ({
    type,
    reason,
    message,
    fieldPath,
  });
  return {
    pulling: event('Normal', 'Pulling', `Pulling image "${image}"`),
    pulled: (milliseconds: number, bytes: number) => {
      const took =
        milliseconds < 1000 ? `${Math.round(milliseconds)}ms` : `${Number((milliseconds / 1000).toFixed(3))}s`;
      const message = `Successfully pulled image "${image}" in ${took} (${took} including waiting). Image size: ${bytes} bytes.`;
      return event('Normal', 'Pulled', message);
    },
    present: event(
      'Normal',
      'Pulled',
      `Container image "${image}" already present on machine and can be accessed by the pod`,
    ),
    created: event('Normal', 'Created', 'Container created'),
    started: event('Normal', 'Started', 'Container started'),
    pullFailed: (error: string) => event('Warning', 'Failed', `Failed to pull image "${image}": ${error}`),
    pullBackOff: event('Normal', 'BackOff', `Back-off pulling image "${image}"`),
    failed: (error: string) => event('Warning', 'Failed', `Error: ${error}`),
    backOff: (pod: Pod) =>
      event('Warning', 'BackOff', `Back-off restarting failed container ${container} in pod ${podDescription(pod)}`),
    unhealthy: (output: string) => event('Warning', 'Unhealthy', `Readiness probe failed: ${output}`),
    killing: event('Normal', 'Killing', `Stopping container ${container}`),
  };
}
