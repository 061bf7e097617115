import type { Presence } from '@hephaisto/core/action/kind';
import type { AnyActionRequest } from '@hephaisto/core/action/types';
import { TARGET_RESOURCES } from '@hephaisto/core/action/workload-resource';
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

/** The workload's counts and the restarts of its pods, read now. */
export async function measureWorkload(
  reader: KubeReader,
  request: AnyActionRequest,
): Promise<Measured<WorkloadHealth>> {
  const { kind, namespace, name } = request.workload;
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
      updated: workload.status.updated,
      ready: workload.status.ready,
      available: workload.status.available,
      observed: workload.observedGeneration >= workload.generation,
      restarts: restartCounts(living),
      failing: living.flatMap(failingContainers),
    },
  };
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
