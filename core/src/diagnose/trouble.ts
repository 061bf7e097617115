import type { ContainerStatusFact, PodFact, TerminationFact } from '../facts/facts.ts';

export const SYMPTOMS = ['crash', 'oom', 'image-pull', 'config', 'unschedulable', 'not-ready'] as const;
export type Symptom = (typeof SYMPTOMS)[number];

/** What is wrong with one pod, in one word, and where. */
export interface Trouble {
  readonly symptom: Symptom;
  readonly pod: PodFact;
  readonly container?: string;
  readonly init?: boolean;
  readonly ended?: TerminationFact;
  /** The kubelet's or scheduler's own sentence. */
  readonly message?: string;
}

const IMAGE_REASONS: readonly string[] = ['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull'];
const CONFIG_REASONS: readonly string[] = ['CreateContainerConfigError', 'CreateContainerError'];

/** A container that has been up for less is still starting, whatever its probes say. */
const STARTING_MS = 30_000;

/**
 * The trouble of a pod, the most telling first; undefined for a healthy one, one that is going, and one that has only just begun. A
 * container killed for memory counts even while it is up again: it will be killed again.
 */
export function troubleOf(pod: PodFact, now: Date): Trouble | undefined {
  if (pod.deletingSince !== undefined) return undefined;
  for (const status of pod.statuses) {
    const reason = status.waiting?.reason ?? '';
    const message = status.waiting?.message;
    const at = { pod, container: status.name, init: status.init, ...(message === undefined ? {} : { message }) };
    if (IMAGE_REASONS.includes(reason)) return { symptom: 'image-pull', ...at };
    if (CONFIG_REASONS.includes(reason)) return { symptom: 'config', ...at };
  }
  const failed = pod.statuses.map((status) => failureOf(pod, status)).filter((trouble) => trouble !== undefined);
  const worst = failed.find((trouble) => trouble.symptom === 'oom') ?? failed[0];
  if (worst !== undefined) return worst;
  const unscheduled = pod.conditions.find(
    ({ type, status, reason }) => type === 'PodScheduled' && status === 'False' && reason === 'Unschedulable',
  );
  if (pod.phase === 'Pending' && unscheduled !== undefined) {
    return {
      symptom: 'unschedulable',
      pod,
      ...(unscheduled.message === undefined ? {} : { message: unscheduled.message }),
    };
  }
  const unready = pod.statuses.find(
    (status) => !status.init && !status.ready && now.getTime() - startOf(status, now) > STARTING_MS,
  );
  return !pod.ready && unready !== undefined ? { symptom: 'not-ready', pod, container: unready.name } : undefined;
}

function failureOf(pod: PodFact, status: ContainerStatusFact): Trouble | undefined {
  const ended = status.terminated ?? status.lastTerminated;
  const at = { pod, container: status.name, init: status.init };
  if (ended?.reason === 'OOMKilled') return { symptom: 'oom', ...at, ended };
  const looping = status.waiting?.reason === 'CrashLoopBackOff';
  // A container that is ready again has told its story; that it restarted once is no trouble.
  if (status.ready) return undefined;
  if (looping || (ended !== undefined && ended.exitCode !== 0)) {
    return { symptom: 'crash', ...at, ...(ended === undefined ? {} : { ended }) };
  }
  return undefined;
}

/** When the present life began; now for a container that does not run. */
function startOf(status: ContainerStatusFact, now: Date): number {
  return (status.running === undefined ? now : (status.running.startedAt ?? new Date(0))).getTime();
}
