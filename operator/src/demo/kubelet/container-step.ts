import type { Container, Pod } from '../kube-client/pod.ts';
import { FORGIVEN_AFTER_SECONDS, pullDelaySeconds, restartDelaySeconds } from './back-off.ts';
import type { ContainerRecord, Life, LifeEnd } from './container-record.ts';
import { containerId, imageBytes } from './identity.ts';
import { containerEvents, type KubeletEvent, pullErrorText } from './kubelet-event.ts';
import { isReady, nextReadinessChange, probeTimes, wall } from './readiness.ts';
import type { StartDecision } from './start-decision.ts';

/** Something the kubelet must do because of a step, in order. */
export type Effect =
  | ({ readonly kind: 'event' } & KubeletEvent)
  | { readonly kind: 'image-pulled'; readonly image: string }
  | { readonly kind: 'leave'; readonly volume: string; readonly marker: string };

export interface ContainerContext {
  readonly pod: Pod;
  readonly container: Container;
  readonly init: boolean;
  readonly now: number;
  readonly speed: number;
  readonly imagePresent: boolean;
  /** The Service that the running process needs has no ready endpoint. */
  readonly needLost?: boolean;
  /** What a start attempted now would come to; absent when the container may not start yet. */
  readonly decision?: StartDecision;
}

export interface ContainerStep {
  readonly record: ContainerRecord;
  readonly effects: readonly Effect[];
  /** When to look again; absent when only something outside can change this container. */
  readonly wakeAt?: number;
}

/** Seconds, before compression. */
const PULL = 2;
const SHOW_PULL_ERROR = 8;
const SHOW_EXIT = 1;
const RETRY_CONFIG = 10;
const REPEAT_BACK_OFF_EVENT = 60;
const LOOK_AT_NEED = 5;

/** A context that says what happens on a start is only asked for in these phases. */
export function wantsStart(record: ContainerRecord, now: number): boolean {
  const { phase } = record;
  switch (phase.kind) {
    case 'due':
      return true;
    case 'pulling':
      return now >= phase.until;
    case 'pull-failed':
    case 'config-error':
    case 'back-off':
      return now >= phase.retryAt;
    default:
      return false;
  }
}

function events(context: ContainerContext) {
  return containerEvents(context.container.name, context.init, context.container.image);
}

function tell(event: KubeletEvent): Effect {
  return { kind: 'event', ...event };
}

function begin(
  record: ContainerRecord,
  context: ContainerContext,
  decision: StartDecision & { kind: 'start' },
  pulled: Effect[],
): ContainerStep {
  const { pod, container, now, speed } = context;
  const restartCount = record.life === undefined ? record.restartCount : record.restartCount + 1;
  const names: Record<string, string> = {
    pod: pod.metadata.name,
    namespace: pod.metadata.namespace ?? '',
    node: pod.spec.nodeName ?? '',
    image: container.image,
  };
  for (const [name, value] of Object.entries(decision.env)) names[`env.${name}`] = value;
  const life: Life = {
    id: containerId(pod.metadata.uid ?? '', container.name, restartCount),
    startedAt: now,
    script: decision.script,
    names,
  };
  const next: ContainerRecord = {
    ...record,
    restartCount,
    phase: { kind: 'running' },
    life,
    nextProbeAt: now + probeTimes(container, speed).first,
    ...(record.life === undefined ? {} : { previous: record.life }),
  };
  const { created, started } = events(context);
  return run(next, context, [...pulled, tell(created), tell(started)]);
}

function start(record: ContainerRecord, context: ContainerContext, decision: StartDecision): ContainerStep {
  const { container, now, speed, imagePresent } = context;
  const texts = events(context);
  if (decision.kind === 'pull-error') {
    const error = pullErrorText(container.image, decision.error);
    const pulls = record.pulls + 1;
    const retryAt = now + wall(pullDelaySeconds(pulls), speed);
    const backOffAt = now + wall(SHOW_PULL_ERROR, speed);
    const effects = [tell(texts.pulling), tell(texts.pullFailed(error)), tell(texts.failed('ErrImagePull'))];
    const phase = { kind: 'pull-failed', error, backOffAt, retryAt, told: false } as const;
    return { record: { ...record, pulls, phase }, effects, wakeAt: backOffAt };
  }
  const pull = record.phase.kind === 'pulling' ? record.phase : undefined;
  if (!imagePresent && pull === undefined) {
    const until = now + wall(PULL, speed);
    return {
      record: { ...record, phase: { kind: 'pulling', since: now, until } },
      effects: [tell(texts.pulling)],
      wakeAt: until,
    };
  }
  const pulled: Effect[] =
    pull === undefined
      ? [tell(texts.present)]
      : [
          tell(texts.pulled((now - pull.since) * speed, imageBytes(container.image))),
          { kind: 'image-pulled', image: container.image },
        ];
  if (decision.kind === 'start') return begin(record, context, decision, pulled);
  const retryAt = now + wall(RETRY_CONFIG, speed);
  const phase = { kind: 'config-error', message: decision.message, retryAt } as const;
  return { record: { ...record, phase }, effects: [...pulled, tell(texts.failed(decision.message))], wakeAt: retryAt };
}

function restarts(context: ContainerContext, end: LifeEnd): boolean {
  if (context.pod.metadata.deletionTimestamp !== undefined) return false;
  const policy = context.pod.spec.restartPolicy ?? 'Always';
  if (context.init) return end.exitCode !== 0 && policy !== 'Never';
  return policy === 'Always' || (policy === 'OnFailure' && end.exitCode !== 0);
}

/** Ends the running life; used when the script says so and when the container is stopped. */
export function endLife(record: ContainerRecord, context: ContainerContext, end: LifeEnd): ContainerStep {
  const { life } = record;
  if (life === undefined) return { record, effects: [] };
  const forgiven = end.at - life.startedAt > wall(FORGIVEN_AFTER_SECONDS, context.speed);
  const again = restarts(context, end);
  const until = end.at + wall(SHOW_EXIT, context.speed);
  const { nextProbeAt: _ended, ...rest } = record;
  const next: ContainerRecord = {
    ...rest,
    life: { ...life, end },
    failures: forgiven ? 1 : record.failures + 1,
    phase: again ? { kind: 'exited', until } : { kind: 'finished' },
  };
  return { record: next, effects: [], ...(again ? { wakeAt: until } : {}) };
}

function run(record: ContainerRecord, context: ContainerContext, before: readonly Effect[]): ContainerStep {
  const { container, now, speed } = context;
  const { life } = record;
  if (life === undefined) return { record, effects: before };
  const exit = life.script.exit;
  const exitAt = exit === undefined ? undefined : life.startedAt + wall(exit.after, speed);
  if (exit !== undefined && exitAt !== undefined && now >= exitAt) {
    const left: Effect[] = (life.script.leaves ?? []).map((each) => ({ kind: 'leave', ...each }));
    const ended = endLife(record, context, { at: now, exitCode: exit.code, reason: exit.reason });
    return { ...ended, effects: [...before, ...left, ...ended.effects] };
  }
  const need = life.script.needs;
  if (need !== undefined && context.needLost === true) {
    const seconds = ((now - life.startedAt) * speed) / 1000;
    const script = { ...life.script, log: [...(life.script.log ?? []), { at: seconds, text: need.log }] };
    return endLife({ ...record, life: { ...life, script } }, context, {
      at: now,
      exitCode: need.code,
      reason: 'Error',
    });
  }
  const effects = [...before];
  let nextProbeAt = record.nextProbeAt;
  const ready = isReady(container, life, now, speed);
  if (!ready && nextProbeAt !== undefined && now >= nextProbeAt) {
    effects.push(tell(events(context).unhealthy(life.script.probeOutput ?? 'HTTP probe failed with statuscode: 503')));
    nextProbeAt = now + probeTimes(container, speed).period;
  }
  const times = [
    exitAt,
    nextReadinessChange(container, life, now, speed),
    ready ? undefined : nextProbeAt,
    need && now + wall(LOOK_AT_NEED, speed),
  ];
  const known = times.filter((time) => time !== undefined);
  const next = nextProbeAt === undefined ? record : { ...record, nextProbeAt };
  return { record: next, effects, ...(known.length === 0 ? {} : { wakeAt: Math.min(...known) }) };
}

function afterExit(record: ContainerRecord, context: ContainerContext): ContainerStep {
  const { now, speed, pod } = context;
  const seconds = restartDelaySeconds(record.failures);
  const retryAt = (record.life?.end?.at ?? now) + wall(seconds, speed);
  if (retryAt <= now) return { record: { ...record, phase: { kind: 'due' } }, effects: [], wakeAt: now };
  const tellAt = now + wall(REPEAT_BACK_OFF_EVENT, speed);
  const phase = { kind: 'back-off', seconds, retryAt, tellAt } as const;
  return {
    record: { ...record, phase },
    effects: [tell(events(context).backOff(pod))],
    wakeAt: Math.min(retryAt, tellAt),
  };
}

/**
 * One step of a container at `now`: applies whatever has fallen due and says when to look again. Stepping twice at the same
 * instant changes nothing.
 */
export function stepContainer(record: ContainerRecord, context: ContainerContext): ContainerStep {
  const { now, speed, pod, decision } = context;
  const { phase } = record;
  if (decision !== undefined && wantsStart(record, now)) return start(record, context, decision);
  switch (phase.kind) {
    case 'running':
      return run(record, context, []);
    case 'exited':
      return now >= phase.until ? afterExit(record, context) : { record, effects: [], wakeAt: phase.until };
    case 'pull-failed':
      if (!phase.told && now >= phase.backOffAt) {
        const effects = [tell(events(context).pullBackOff), tell(events(context).failed('ImagePullBackOff'))];
        return { record: { ...record, phase: { ...phase, told: true } }, effects, wakeAt: phase.retryAt };
      }
      return { record, effects: [], wakeAt: phase.told ? phase.retryAt : Math.min(phase.backOffAt, phase.retryAt) };
    case 'back-off':
      if (now >= phase.tellAt && now < phase.retryAt) {
        const tellAt = now + wall(REPEAT_BACK_OFF_EVENT, speed);
        const next = { ...record, phase: { ...phase, tellAt } };
        return { record: next, effects: [tell(events(context).backOff(pod))], wakeAt: Math.min(phase.retryAt, tellAt) };
      }
      return { record, effects: [], wakeAt: Math.min(phase.retryAt, phase.tellAt) };
    case 'config-error':
      return { record, effects: [], wakeAt: phase.retryAt };
    case 'pulling':
      return { record, effects: [], wakeAt: phase.until };
    default:
      return { record, effects: [] };
  }
}
