import type { ContainerSpecFact, ContainerStatusFact, PodFact } from '../../facts/facts.ts';
import { formatCpu, formatMemory } from '../../facts/quantity.ts';
import { instant, oneLine } from './text.ts';

/** One line a pod and one a container; each names its pod, so that a line can be quoted alone. */
export function renderPods(title: string, pods: readonly PodFact[]): string {
  const ready = pods.filter((pod) => pod.ready).length;
  // The sick ones first, so that a cap on the text cuts healthy ones.
  const sorted = [...pods].sort((a, b) => Number(a.ready) - Number(b.ready));
  return [`${title}: ${pods.length} pods, ${ready} ready`, ...sorted.flatMap(renderPod)].join('\n');
}

export function renderPod(pod: PodFact): readonly string[] {
  const owner = pod.owners.find((candidate) => candidate.controller) ?? pod.owners[0];
  const head = [
    `pod ${pod.name}: ${pod.ready ? 'ready' : 'not ready'}`,
    `phase ${pod.phase}`,
    ...(pod.deletingSince === undefined ? [] : [`being deleted since ${instant(pod.deletingSince)}`]),
    ...(pod.nodeName === undefined ? [] : [`node ${pod.nodeName}`]),
    ...(owner === undefined ? [] : [`owner ${owner.kind}/${owner.name}`]),
    `created ${instant(pod.createdAt)}`,
    ...(pod.statusReason === undefined ? [] : [oneLine(`${pod.statusReason} ${pod.statusMessage ?? ''}`)]),
  ].join(', ');
  const unscheduled = pod.conditions.find(
    (condition) => condition.type === 'PodScheduled' && condition.status === 'False',
  );
  return [
    head,
    ...(unscheduled === undefined
      ? []
      : [`pod ${pod.name} is not scheduled: ${unscheduled.reason ?? ''} ${oneLine(unscheduled.message ?? '')}`]),
    ...pod.specs.map((spec) =>
      containerLine(
        pod.name,
        spec,
        pod.statuses.find((status) => status.name === spec.name && status.init === spec.init),
      ),
    ),
  ];
}

function containerLine(pod: string, spec: ContainerSpecFact, status: ContainerStatusFact | undefined): string {
  return [
    `pod ${pod} ${spec.init ? 'init container' : 'container'} ${spec.name}: ${stateText(status)}`,
    ...(status?.lastTerminated === undefined ? [] : [`last ended with ${terminationText(status.lastTerminated)}`]),
    `restarts ${status?.restartCount ?? 0}`,
    `image ${spec.image}`,
    ...amounts('requests', spec.requests),
    ...amounts('limits', spec.limits),
  ].join(', ');
}

function stateText(status: ContainerStatusFact | undefined): string {
  if (status === undefined) return 'no status';
  const ready = status.ready ? 'ready' : 'not ready';
  if (status.waiting !== undefined) {
    const message = status.waiting.message === undefined ? '' : ` (${oneLine(status.waiting.message)})`;
    return `waiting ${status.waiting.reason}${message}`;
  }
  if (status.terminated !== undefined) return `ended with ${terminationText(status.terminated)}`;
  if (status.running !== undefined) return `running since ${instant(status.running.startedAt)}, ${ready}`;
  return ready;
}

function terminationText(ended: NonNullable<ContainerStatusFact['terminated']>): string {
  const message = ended.message === undefined ? '' : `: ${oneLine(ended.message)}`;
  return `exit code ${ended.exitCode} ${ended.reason} at ${instant(ended.finishedAt)}${message}`;
}

function amounts(word: string, of: ContainerSpecFact['limits']): readonly string[] {
  const parts = [
    ...(of.cpuMillis === undefined ? [] : [`cpu ${formatCpu(of.cpuMillis)}`]),
    ...(of.memoryBytes === undefined ? [] : [`memory ${formatMemory(of.memoryBytes)}`]),
  ];
  return parts.length === 0 ? [] : [`${word} ${parts.join(' ')}`];
}
