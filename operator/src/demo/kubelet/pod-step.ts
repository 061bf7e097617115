import type { Container, Pod } from '../kube-client/pod.ts';
import type { ContainerRecord } from './container-record.ts';
import {
  type ContainerContext,
  type ContainerStep,
  type Effect,
  endLife,
  stepContainer,
  wantsStart,
} from './container-step.ts';
import { containerEvents } from './kubelet-event.ts';
import { type PodRecord, succeeded } from './pod-record.ts';
import { wall } from './readiness.ts';
import type { StartDecision } from './start-decision.ts';

export interface PodContext {
  readonly pod: Pod;
  readonly now: number;
  readonly speed: number;
  imagePresent(image: string): boolean;
  /** What starting this container now would come to. */
  decide(container: Container, record: ContainerRecord): StartDecision;
  /** Services that a running process needs and that have no ready endpoint. */
  readonly lostServices: ReadonlySet<string>;
  /** Texts of the volumes that cannot be mounted. */
  readonly mountErrors: readonly string[];
}

export interface PodStep {
  readonly record: PodRecord;
  readonly effects: readonly Effect[];
  readonly wakeAt?: number;
  /** The pod was asked to go and nothing of it runs any more: its object may be removed. */
  readonly gone: boolean;
}

/** Seconds a process takes to end after SIGTERM, before compression. */
const STOP = 2;
const RETRY_MOUNT = 10;

/** Whether the next step will try to start a container, so that the facts for it must be read first. */
export function startsNow(pod: Pod, record: PodRecord, now: number): boolean {
  if (pod.metadata.deletionTimestamp !== undefined || now < record.sandboxAt) return false;
  const unfinished = record.init.filter((each) => !succeeded(each)).slice(0, 1);
  const candidates = unfinished.length > 0 ? unfinished : record.containers;
  return candidates.some((each) => wantsStart(each, now)) && (record.mountRetryAt ?? 0) <= now;
}

function earliest(times: readonly (number | undefined)[]): { readonly wakeAt?: number } {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? {} : { wakeAt: Math.min(...known) };
}

function stepAll(
  specs: readonly Container[],
  records: readonly ContainerRecord[],
  context: PodContext,
  init: boolean,
  act: (record: ContainerRecord, context: ContainerContext) => ContainerStep,
): { readonly records: ContainerRecord[]; readonly effects: Effect[]; readonly times: (number | undefined)[] } {
  const effects: Effect[] = [];
  const times: (number | undefined)[] = [];
  const stepped = records.map((record) => {
    const container = specs.find((each) => each.name === record.name);
    if (container === undefined) return record;
    const { pod, now, speed } = context;
    const starting = pod.metadata.deletionTimestamp === undefined && wantsStart(record, now);
    const step = act(record, {
      pod,
      container,
      init,
      now,
      speed,
      imagePresent: context.imagePresent(container.image),
      needLost: context.lostServices.has(record.life?.script.needs?.service ?? ''),
      ...(starting ? { decision: context.decide(container, record) } : {}),
    });
    effects.push(...step.effects);
    times.push(step.wakeAt);
    return step.record;
  });
  return { records: stepped, effects, times };
}

function stop(record: PodRecord, context: PodContext): PodStep {
  const { pod, now, speed } = context;
  const grace = pod.metadata.deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30;
  const since = record.stoppingSince ?? now;
  const deadline = since + wall(Math.min(STOP, typeof grace === 'number' ? grace : STOP), speed);
  const runs = (each: ContainerRecord) => each.phase.kind === 'running';
  const first = record.stoppingSince === undefined;
  const effects: Effect[] = first
    ? record.containers.filter(runs).map((each) => {
        const image = pod.spec.containers.find((spec) => spec.name === each.name)?.image ?? '';
        return { kind: 'event', ...containerEvents(each.name, false, image).killing };
      })
    : [];
  const anyRuns = [...record.init, ...record.containers].some(runs);
  if (anyRuns && now < deadline)
    return { record: { ...record, stoppingSince: since }, effects, wakeAt: deadline, gone: false };
  const end = (each: ContainerRecord, at: ContainerContext): ContainerStep =>
    runs(each) ? endLife(each, at, { at: now, exitCode: 0, reason: 'Completed' }) : { record: each, effects: [] };
  const init = stepAll(pod.spec.initContainers ?? [], record.init, context, true, end).records;
  const containers = stepAll(pod.spec.containers, record.containers, context, false, end).records;
  return { record: { ...record, init, containers, stoppingSince: since }, effects, gone: true };
}

function mountFailed(record: PodRecord, context: PodContext): PodStep {
  const retryAt = context.now + wall(RETRY_MOUNT, context.speed);
  const effects = context.mountErrors.map(
    (message): Effect => ({ kind: 'event', type: 'Warning', reason: 'FailedMount', message }),
  );
  return { record: { ...record, mountRetryAt: retryAt }, effects, wakeAt: retryAt, gone: false };
}

/** One step of a pod at `now`: the sandbox, then init containers one by one, then the regular ones; or its end. */
export function stepPod(record: PodRecord, context: PodContext): PodStep {
  const { pod, now } = context;
  if (pod.metadata.deletionTimestamp !== undefined) return stop(record, context);
  if (now < record.sandboxAt) return { record, effects: [], wakeAt: record.sandboxAt, gone: false };
  const untouched = [...record.init, ...record.containers].every((each) => each.life === undefined);
  if (untouched && record.mountRetryAt !== undefined && now < record.mountRetryAt) {
    return { record, effects: [], wakeAt: record.mountRetryAt, gone: false };
  }
  if (untouched && context.mountErrors.length > 0) return mountFailed(record, context);

  const turn = record.init.findIndex((each) => !succeeded(each));
  if (turn >= 0) {
    const current = record.init.slice(turn, turn + 1);
    const step = stepAll(pod.spec.initContainers ?? [], current, context, true, stepContainer);
    const init = record.init.map((each, index) => (index === turn ? (step.records[0] ?? each) : each));
    const next = { ...record, init };
    // the next container begins in the same instant that this one ended
    const ended = init[turn] !== undefined && succeeded(init[turn]);
    return { record: next, effects: step.effects, ...earliest(ended ? [now] : step.times), gone: false };
  }
  const step = stepAll(pod.spec.containers, record.containers, context, false, stepContainer);
  return {
    record: { ...record, containers: step.records },
    effects: step.effects,
    ...earliest(step.times),
    gone: false,
  };
}
