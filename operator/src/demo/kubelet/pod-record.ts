import type { Container, Pod } from '../kube-client/pod.ts';
import { type ContainerRecord, newContainer } from './container-record.ts';

/** What the kubelet knows of one pod. Instants are milliseconds of the wall clock. */
export interface PodRecord {
  readonly uid: string;
  readonly acceptedAt: number;
  readonly podIP: string;
  /** When the sandbox is up and containers may start. */
  readonly sandboxAt: number;
  readonly init: readonly ContainerRecord[];
  readonly containers: readonly ContainerRecord[];
  /** When the kubelet began to stop the pod's containers. */
  readonly stoppingSince?: number;
  /** When missing volumes are looked for again. */
  readonly mountRetryAt?: number;
}

/** A pod just bound to one of our nodes; restart counts of an earlier kubelet are kept. */
export function acceptPod(pod: Pod, now: number, sandboxAt: number, podIP: string): PodRecord {
  const known = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const adopt = (container: Container) =>
    newContainer(container.name, known.find((each) => each.name === container.name)?.restartCount);
  return {
    uid: pod.metadata.uid ?? '',
    acceptedAt: now,
    podIP: pod.status?.podIP ?? podIP,
    sandboxAt,
    init: (pod.spec.initContainers ?? []).map(adopt),
    containers: pod.spec.containers.map(adopt),
  };
}

/** Whether the container has ended for good with success. */
export function succeeded(record: ContainerRecord): boolean {
  return record.phase.kind === 'finished' && record.life?.end?.exitCode === 0;
}
