import type { Presence } from '@hephaisto/core/action/kind';
import type { AnyActionRequest } from '@hephaisto/core/action/types';
import { isTargetKind, TARGET_RESOURCES } from '@hephaisto/core/action/workload-resource';
import { assertNever } from '@hephaisto/core/assert-never';
import type { PodFact } from '@hephaisto/core/facts/facts';
import type { KubeReader } from '@hephaisto/core/ports/kube';
import type { Measured, RestartCounts, WorkloadHealth } from '../facts.ts';

/** Waiting reasons of a container that is only on its way. */
const ON_ITS_WAY = new Set(['ContainerCreating', 'PodInitializing']);

/** The target as it is now. Gone is an answer; not being able to read is none. */
export async function measureTarget(reader: KubeReader, request: AnyActionRequest): Promise<Measured<Presence>> {
  const where = TARGET_RESOURCES[request.target.kind];
  if (where === undefined)
    return { measured: false, why: `nothing is known of objects of kind ${request.target.kind}` };
  const read = await reader.object(where.apiVersion, where.resource, request.target.namespace, request.target.name);
  if (read.kind === 'ok')
    return { measured: true, value: { kind: 'present', object: { ...read.value, kind: request.target.kind } } };
  return read.reason === 'not-found'
    ? { measured: true, value: { kind: 'gone' } }
    : { measured: false, why: read.message };
}

/** The workload's counts and the restarts of its pods, read now. A kind that keeps no number of pods is stated as not measured. */
export async function measureWorkload(
  reader: KubeReader,
  request: AnyActionRequest,
): Promise<Measured<WorkloadHealth>> {
  const { kind, namespace, name } = request.workload;
  const why = whyUncounted(kind);
  if (why !== undefined) return { measured: false, why };
  const read = await reader.workload(kind, namespace, name);
  if (read.kind === 'failure')
    return read.reason === 'not-found'
      ? { measured: true, value: { kind: 'gone' } }
      : { measured: false, why: read.message };
  const workload = read.value;
  const pods = await reader.pods(namespace, workload.selector);
  if (pods.kind === 'failure') return { measured: false, why: pods.message };
  const living = pods.value.filter((pod) => pod.deletingSince === undefined);
  return {
    measured: true,
    value: {
      kind: 'present',
      replicas: workload.replicas,
      total: workload.status.replicas,
      // A ReplicaSet has one template for life, so all its pods are of the present one; its status has no count of them.
      updated: kind === 'ReplicaSet' ? workload.status.replicas : workload.status.updated,
      ready: workload.status.ready,
      available: workload.status.available,
      observed: workload.observedGeneration >= workload.generation,
      restarts: restartCounts(living),
      failing: living.flatMap(failingContainers),
    },
  };
}

/** Why the pods of a controller of this kind are no measure of its health; `undefined` where they are. */
function whyUncounted(kind: string): string | undefined {
  if (!isTargetKind(kind)) return `the controller is a ${kind}, whose health cannot be read`;
  switch (kind) {
    case 'Deployment':
    case 'StatefulSet':
    case 'DaemonSet':
    case 'ReplicaSet':
      return undefined;
    case 'Job':
      return 'a Job runs to an end and keeps no number of ready pods; see whether it completes';
    case 'CronJob':
      return 'a CronJob keeps no number of ready pods; see whether its next run completes';
    case 'Pod':
      return 'the pod has no controller that would keep a number of pods ready';
    default:
      return assertNever(kind);
  }
}

export function restartCounts(pods: readonly PodFact[]): RestartCounts {
  return Object.fromEntries(
    pods.flatMap((pod) => pod.statuses.map((status) => [`${pod.uid}/${status.name}`, status.restartCount] as const)),
  );
}

function failingContainers(pod: PodFact): readonly string[] {
  return pod.statuses.flatMap(({ name, waiting }) =>
    waiting === undefined || ON_ITS_WAY.has(waiting.reason) ? [] : [`${pod.name}/${name}: ${waiting.reason}`],
  );
}
