import type { ContainerStatusFact, PodFact, TerminationFact } from '../facts/facts.ts';
import { CONFIG_REASONS, IMAGE_REASONS, PREPARING_REASONS } from '../facts/waiting-reasons.ts';
import type { Symptom } from '../finding/symptom.ts';
import { type Episode, isInEpisode, presentTermination } from './episode.ts';

/** The trouble of one pod: its symptom, and the container that has it. */
export interface Trouble {
  readonly symptom: Symptom;
  readonly pod: PodFact;
  readonly container?: string;
  readonly init?: boolean;
  readonly ended?: TerminationFact;
  /** The kubelet's or scheduler's own sentence. */
  readonly message?: string;
}

/** A container that has been up for less is still starting, whatever its probes report. */
const STARTING_MS = 30_000;
/** Volumes attach, images arrive and migrations run within a minute in most clusters. Longer is worth a finding, not yet a proof. */
const PREPARING_MS = 60_000;

/**
 * The trouble of a pod, the most telling first; undefined for a healthy pod, one that is being deleted, and one that has only just begun.
 * A container killed for memory in this episode counts even while it is up again: it will be killed again.
 */
export function troubleOf(pod: PodFact, episode: Episode): Trouble | undefined {
  if (pod.deletingSince !== undefined) return undefined;
  return (
    waitingTrouble(pod) ??
    failureOf(pod, episode) ??
    unscheduledTrouble(pod) ??
    preparingTrouble(pod, episode.now) ??
    unreadyTrouble(pod, episode.now) ??
    recoveredKill(pod, episode)
  );
}

function waitingTrouble(pod: PodFact): Trouble | undefined {
  for (const status of pod.statuses) {
    const reason = status.waiting?.reason ?? '';
    const message = status.waiting?.message;
    const at = { pod, container: status.name, init: status.init, ...(message === undefined ? {} : { message }) };
    if (IMAGE_REASONS.has(reason)) return { symptom: 'image-pull', ...at };
    if (CONFIG_REASONS.has(reason)) return { symptom: 'config', ...at };
  }
  return undefined;
}

/**
 * The container that fails now comes before one that failed and is ready again: an out-of-memory kill of a healthy sidecar does not
 * explain why another container ends with exit code 1.
 */
function failureOf(pod: PodFact, episode: Episode): Trouble | undefined {
  return pod.statuses
    .map((status) => containerFailure(pod, status, episode))
    .filter((failure) => failure !== undefined)
    .sort((a, b) => a.rank - b.rank)[0]?.trouble;
}

function containerFailure(
  pod: PodFact,
  status: ContainerStatusFact,
  episode: Episode,
): { readonly rank: number; readonly trouble: Trouble } | undefined {
  const ended = presentTermination(status, episode);
  const at = { pod, container: status.name, init: status.init, ...(ended === undefined ? {} : { ended }) };
  const killed = ended?.reason === 'OOMKilled';
  // A container that is ready again has recovered; one restart is no trouble.
  if (status.ready) return undefined;
  if (killed) return { rank: isInEpisode(ended.finishedAt, episode) ? 0 : 2, trouble: { symptom: 'oom', ...at } };
  const looping = status.waiting?.reason === 'CrashLoopBackOff';
  const failed = ended !== undefined && ended.exitCode !== 0;
  return looping || failed ? { rank: 1, trouble: { symptom: 'crash', ...at } } : undefined;
}

/**
 * A container killed for memory and ready again, where that was the latest failure of the pod. A container without a readiness probe is
 * ready between two crashes, and an earlier kill of a sidecar does not explain them.
 */
function recoveredKill(pod: PodFact, episode: Episode): Trouble | undefined {
  const [latest] = pod.statuses
    .flatMap((status) => {
      const ended = presentTermination(status, episode);
      return ended === undefined || ended.exitCode === 0 ? [] : [{ status, ended }];
    })
    .toSorted((a, b) => (b.ended.finishedAt?.getTime() ?? 0) - (a.ended.finishedAt?.getTime() ?? 0));
  if (latest === undefined || !latest.status.ready || latest.ended.reason !== 'OOMKilled') return undefined;
  const { status, ended } = latest;
  return { symptom: 'oom', pod, container: status.name, init: status.init, ended };
}

function unscheduledTrouble(pod: PodFact): Trouble | undefined {
  const condition = pod.conditions.find(
    ({ type, status, reason }) => type === 'PodScheduled' && status === 'False' && reason === 'Unschedulable',
  );
  if (pod.phase !== 'Pending' || condition === undefined) return undefined;
  return {
    symptom: 'unschedulable',
    pod,
    ...(condition.message === undefined ? {} : { message: condition.message }),
  };
}

/** A scheduled pod whose containers have not started: an init container still runs, or the kubelet still prepares the pod. */
function preparingTrouble(pod: PodFact, now: Date): Trouble | undefined {
  const scheduled = pod.conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'True');
  if (scheduled === undefined && pod.nodeName === undefined) return undefined;
  const isPreparing = pod.statuses
    .filter(({ init }) => !init)
    .every(({ waiting }) => PREPARING_REASONS.has(waiting?.reason ?? ''));
  if (!isPreparing || (pod.statuses.length === 0 && pod.phase !== 'Pending')) return undefined;
  // Init containers run one after another, and native sidecars before the last keep running: the last one that runs is waited for.
  const running = pod.statuses.findLast(({ init, running }) => init && running !== undefined);
  if (running !== undefined) {
    return now.getTime() - startOf(running, now) > PREPARING_MS
      ? { symptom: 'initializing', pod, container: running.name, init: true }
      : undefined;
  }
  const held = pod.statuses.find(({ waiting }) => PREPARING_REASONS.has(waiting?.reason ?? ''));
  if (held === undefined && pod.statuses.length > 0) return undefined;
  const since = scheduled?.since ?? pod.createdAt;
  const name = held?.name ?? pod.specs[0]?.name;
  if (now.getTime() - since.getTime() <= PREPARING_MS) return undefined;
  return {
    symptom: 'creating',
    pod,
    ...(name === undefined ? {} : { container: name, init: held?.init ?? pod.specs[0]?.init ?? false }),
    ...(held?.waiting?.message === undefined ? {} : { message: held.waiting.message }),
  };
}

function unreadyTrouble(pod: PodFact, now: Date): Trouble | undefined {
  const unready = pod.statuses.find(
    (status) => !status.init && !status.ready && now.getTime() - startOf(status, now) > STARTING_MS,
  );
  return !pod.ready && unready !== undefined ? { symptom: 'not-ready', pod, container: unready.name } : undefined;
}

/** When the present life began; now for a container that does not run. */
function startOf(status: ContainerStatusFact, now: Date): number {
  return (status.running === undefined ? now : (status.running.startedAt ?? new Date(0))).getTime();
}
