import type { Container, ContainerState, ContainerStatus, Pod, Terminated } from '../kube-client/pod.ts';
import type { ContainerRecord, Life } from './container-record.ts';
import { imageId } from './identity.ts';
import { crashLoopMessage, pullBackOffMessage } from './kubelet-event.ts';
import { isReady } from './readiness.ts';

/** An instant as the API writes it: whole seconds, UTC. */
export function apiTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

function terminated(life: Life): Terminated | undefined {
  if (life.end === undefined) return undefined;
  return {
    exitCode: life.end.exitCode,
    reason: life.end.reason,
    startedAt: apiTime(life.startedAt),
    finishedAt: apiTime(life.end.at),
    containerID: life.id,
    ...(life.end.message === undefined ? {} : { message: life.end.message }),
  };
}

function asState(ended: Terminated | undefined): ContainerState {
  return ended === undefined ? {} : { terminated: ended };
}

function waitingState(
  pod: Pod,
  container: Container,
  record: ContainerRecord,
  initialized: boolean,
  now: number,
): ContainerState {
  const { phase } = record;
  switch (phase.kind) {
    case 'pull-failed':
      return now < phase.backOffAt
        ? { waiting: { reason: 'ErrImagePull', message: phase.error } }
        : { waiting: { reason: 'ImagePullBackOff', message: pullBackOffMessage(container.image, phase.error) } };
    case 'config-error':
      return { waiting: { reason: 'CreateContainerConfigError', message: phase.message } };
    case 'back-off':
      return { waiting: { reason: 'CrashLoopBackOff', message: crashLoopMessage(pod, container.name, phase.seconds) } };
    default:
      return { waiting: { reason: initialized ? 'ContainerCreating' : 'PodInitializing' } };
  }
}

function stateOf(
  pod: Pod,
  container: Container,
  record: ContainerRecord,
  initialized: boolean,
  now: number,
): ContainerState {
  const { phase, life } = record;
  if (phase.kind === 'running' && life !== undefined) return { running: { startedAt: apiTime(life.startedAt) } };
  const exited = phase.kind === 'exited' || phase.kind === 'finished';
  if (exited && life !== undefined) return asState(terminated(life));
  return waitingState(pod, container, record, initialized, now);
}

export interface StatusContext {
  readonly pod: Pod;
  readonly now: number;
  readonly speed: number;
  /** Every init container has ended well (or there is none). */
  readonly initialized: boolean;
  readonly hasInit: boolean;
}

/** The container's status as the kubelet would publish it at `now`. */
export function containerStatus(
  container: Container,
  record: ContainerRecord,
  init: boolean,
  context: StatusContext,
): ContainerStatus {
  const { pod, now, speed, initialized, hasInit } = context;
  const { life, previous } = record;
  const state = stateOf(pod, container, record, init ? true : initialized || !hasInit, now);
  const running = state.running !== undefined;
  const last = state.waiting === undefined ? previous : life;
  const ready = init
    ? record.phase.kind === 'finished' && life?.end?.exitCode === 0
    : running && life !== undefined && isReady(container, life, now, speed);
  return {
    name: container.name,
    image: container.image,
    imageID: life === undefined ? '' : imageId(container.image),
    ...(life === undefined ? {} : { containerID: life.id }),
    ready,
    started: running,
    restartCount: record.restartCount,
    state,
    lastState: last === undefined ? {} : asState(terminated(last)),
  };
}
