import type { ContainerStatusFact, TerminationFact } from '../facts/facts.ts';
import { CONFIG_REASONS, IMAGE_REASONS } from '../facts/waiting-reasons.ts';
import { type RestartSeries, STORM_RESTARTS } from './restart-series.ts';
import type { Symptom } from './symptom.ts';
import type { WatchedPod } from './watched.ts';

/** What a pod's symptoms depend on besides the pod. */
export interface PodSurroundings {
  /** Other pods of the same controller and template that are ready. */
  readonly readySiblings: number;
  readonly ownedByJob: boolean;
  /** False when the pod asks for more than any node has. */
  readonly fitsSomewhere: boolean;
  /** The restarts that still count. */
  readonly series: RestartSeries | undefined;
  /** Keys of the pod's symptoms that fire now or have not healed yet. */
  readonly firing: readonly string[];
  /** Present while a rollout of the pod's workload is under way: when it last came further. */
  readonly rolloutProgressAt: Date | undefined;
  readonly wasReady: boolean;
}

/** What is wrong with the pod now. Completed and departing pods have no symptoms. */
export function detectPod(pod: WatchedPod, around: PodSurroundings): readonly Symptom[] {
  if (pod.deleting || pod.phase === 'Succeeded' || pod.phase === 'Failed') return [];
  const symptoms = [
    ...detectScheduling(pod, around),
    ...pod.containers.flatMap((container) => detectContainer(pod, container, around)),
  ];
  if (symptoms.length > 0) return symptoms;
  const storm = around.ownedByJob ? undefined : restartStorm(pod, around);
  return storm === undefined ? detectReadiness(pod, around) : [storm];
}

function detectScheduling(pod: WatchedPod, around: PodSurroundings): readonly Symptom[] {
  if (pod.unscheduled === undefined) return [];
  return [
    {
      key: 'Unschedulable',
      kind: 'Unschedulable',
      severity: 'warning',
      reason: 'Unschedulable',
      message: `pod ${pod.name} finds no node: ${pod.unscheduled.message}`,
      ...(pod.unscheduled.since === undefined ? {} : { since: pod.unscheduled.since }),
      // Nodes come and go and pods leave; only a pod that no node could hold even when empty need not be waited for.
      ...(around.fitsSomewhere ? { hold: 'unschedulable' as const } : {}),
      ifBrief: {
        reason: 'scheduled-after-waiting',
        message: `pod ${pod.name} waited for a node and got one`,
        afterShareOfHold: 0,
      },
    },
  ];
}

function detectContainer(pod: WatchedPod, container: ContainerStatusFact, around: PodSurroundings): readonly Symptom[] {
  const reason = container.waiting?.reason ?? '';
  if (IMAGE_REASONS.has(reason)) return [imagePull(pod, container, reason)];
  if (CONFIG_REASONS.has(reason)) return [config(pod, container, reason)];
  // Whether the pods of a Job may fail is the Job's own business: it counts them and says when it gives up.
  if (around.ownedByJob) return [];
  return detectCrash(pod, container, around);
}

function detectCrash(pod: WatchedPod, container: ContainerStatusFact, around: PodSurroundings): readonly Symptom[] {
  const looping = container.waiting?.reason === 'CrashLoopBackOff';
  const down = container.terminated !== undefined && container.terminated.exitCode !== 0;
  if (!looping && !down) return [];
  // One more restart of a known series is no fault of its own; a back-off is more than the series was.
  if (!looping && around.firing.includes(STORM_KEY)) return [];
  const last = container.terminated ?? container.lastTerminated;
  const oom = last?.reason === 'OOMKilled';
  // The first restart comes at once and without a back-off; a back-off, or a death after a restart, is at least the second crash.
  const repeated = container.restartCount >= 1;
  return [
    {
      key: `${oom ? 'OomKilled' : 'CrashLoopBackOff'}/${container.name}`,
      kind: oom ? 'OomKilled' : 'CrashLoopBackOff',
      severity: 'critical',
      reason: oom ? 'OOMKilled' : 'CrashLoopBackOff',
      message: oom
        ? `container ${container.name} of pod ${pod.name} was killed for its memory, restart ${container.restartCount}`
        : `container ${container.name} of pod ${pod.name} keeps crashing, exit code ${last?.exitCode ?? 'unknown'}, restart ${container.restartCount}`,
      ...(around.series === undefined ? {} : { healMs: around.series.healMs }),
      ...patienceWith(pod, container, around, { oom, repeated, exitCode: last?.exitCode ?? 'unknown' }),
    },
  ];
}

/**
 * A single crash may pass, and so may several while a rollout comes further: the new pods often wait for something that the rollout
 * brings. The wait is not the whole progress deadline, ten minutes by default, or a release that crashes from the start would go unseen
 * for as long. Memory does not come with a rollout, so a repeated kill for memory counts at once.
 */
function patienceWith(
  pod: WatchedPod,
  container: ContainerStatusFact,
  around: PodSurroundings,
  crash: { readonly oom: boolean; readonly repeated: boolean; readonly exitCode: number | string },
): Partial<Symptom> {
  const name = `container ${container.name} of pod ${pod.name}`;
  const progressAt = around.rolloutProgressAt;
  if (!crash.repeated) {
    const message = `${name} ended once with exit code ${crash.exitCode} and came back`;
    return { hold: 'firstCrash', ifBrief: { reason: 'single-restart-recovered', message, afterShareOfHold: 0 } };
  }
  if (crash.oom || progressAt === undefined) return {};
  return {
    hold: 'rolloutCrash',
    holdFrom: new Date(Math.max(progressAt.getTime(), around.series?.firstAt.getTime() ?? 0)),
    ifBrief: {
      reason: 'rollout-crash-recovered',
      message: `${name} ended with exit code ${crash.exitCode} during a rollout and came back`,
      afterShareOfHold: 0,
    },
  };
}

/** A registry's answers that a later try will not change. */
const DEFINITE_PULL_ERROR =
  /not found|manifest unknown|manifest for .* not found|repository does not exist|unauthorized|denied|forbidden|invalid reference/i;

function imagePull(pod: WatchedPod, container: ContainerStatusFact, reason: string): Symptom {
  const text = container.waiting?.message ?? '';
  const definite = reason === 'InvalidImageName' || reason === 'ErrImageNeverPull' || DEFINITE_PULL_ERROR.test(text);
  return {
    key: `ImagePullBackOff/${container.name}`,
    kind: 'ImagePullBackOff',
    severity: 'critical',
    reason: 'ImagePullBackOff',
    message: `image of container ${container.name} of pod ${pod.name} cannot be pulled: ${text}`,
    ...(definite ? {} : { hold: 'imagePull' as const }),
    ifBrief: {
      reason: 'image-pull-recovered',
      message: `image of container ${container.name} of pod ${pod.name} came on a later try`,
      afterShareOfHold: 0,
    },
  };
}

function config(pod: WatchedPod, container: ContainerStatusFact, reason: string): Symptom {
  return {
    key: `ConfigError/${container.name}`,
    kind: 'ConfigError',
    severity: 'critical',
    reason,
    message: `container ${container.name} of pod ${pod.name} cannot be created: ${container.waiting?.message ?? reason}`,
    // Objects applied together arrive in any order: the pod may be there a moment before its Secret.
    hold: 'config',
    ifBrief: {
      reason: 'config-appeared',
      message: `what pod ${pod.name} refers to appeared a moment later`,
      afterShareOfHold: 0,
    },
  };
}

const STORM_KEY = 'RestartStorm';

/**
 * One symptom for a series of restarts, of which each is too short to be a crash loop. Where a crash of the pod fires already the
 * restarts are its restarts.
 */
function restartStorm(pod: WatchedPod, around: PodSurroundings): Symptom | undefined {
  const { series, firing } = around;
  if (series === undefined || series.restarts < STORM_RESTARTS) return undefined;
  if (firing.some((key) => key.startsWith('CrashLoopBackOff/') || key.startsWith('OomKilled/'))) return undefined;
  const oom = newestTermination(pod)?.reason === 'OOMKilled';
  return {
    key: STORM_KEY,
    kind: oom ? 'OomKilled' : 'RestartStorm',
    severity: 'warning',
    reason: oom ? 'OOMKilled' : 'RestartStorm',
    message: `containers of pod ${pod.name} restarted ${series.restarts} times within an hour`,
    since: series.firstAt,
    healMs: series.healMs,
    lastAt: series.lastAt,
  };
}

/** The end that the newest restart followed. An older kill of another container is not what restarts the pod now. */
function newestTermination(pod: WatchedPod): TerminationFact | undefined {
  return pod.containers
    .map(({ terminated, lastTerminated }) => terminated ?? lastTerminated)
    .filter((ended) => ended !== undefined)
    .toSorted((x, y) => (y.finishedAt?.getTime() ?? 0) - (x.finishedAt?.getTime() ?? 0))[0];
}

function detectReadiness(pod: WatchedPod, around: PodSurroundings): readonly Symptom[] {
  if (pod.ready || pod.nodeName === undefined) return [];
  const alone = around.readySiblings === 0;
  const brief = around.wasReady
    ? ({
        reason: 'probe-blip',
        message: `pod ${pod.name} failed its readiness probe for a moment`,
        afterShareOfHold: 0,
      } as const)
    : ({
        reason: 'slow-start',
        message: `pod ${pod.name} took its time to become ready`,
        // Half a minute by default: every pod is unready for a moment after its start.
        afterShareOfHold: alone ? 0.05 : 0.25,
      } as const);
  return [
    {
      key: 'PodNotReady',
      kind: 'PodNotReady',
      severity: 'warning',
      reason: 'PodNotReady',
      message: alone
        ? `pod ${pod.name} does not become ready`
        : `pod ${pod.name} does not become ready while ${around.readySiblings} of its siblings are`,
      hold: alone ? 'notReadyAlone' : 'notReady',
      ...(pod.unreadySince === undefined ? {} : { since: pod.unreadySince }),
      // After a restart the unreadiness belongs to the restart, which has a note of its own.
      ...(around.series === undefined ? { ifBrief: brief } : {}),
    },
  ];
}

/** Why a pod that is over, or was removed by others, is no fault. Undefined where nothing needs saying. */
export function noteOfPodEnd(
  pod: WatchedPod,
): { reason: 'pod-evicted' | 'pod-preempted'; message: string } | undefined {
  if (pod.phase !== 'Failed') return undefined;
  if (pod.statusReason === 'Evicted') {
    return { reason: 'pod-evicted', message: `pod ${pod.name} was evicted: ${pod.statusMessage ?? 'no reason given'}` };
  }
  if (pod.statusReason === 'Preempting' || pod.statusReason === 'Preempted' || pod.statusReason === 'NodeShutdown') {
    return {
      reason: 'pod-preempted',
      message: `pod ${pod.name} made room for another: ${pod.statusMessage ?? pod.statusReason}`,
    };
  }
  return undefined;
}
