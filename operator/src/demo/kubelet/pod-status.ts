import type { Container, ContainerStatus, Pod, PodCondition, PodStatus } from '../kube-client/pod.ts';
import { apiTime, containerStatus, type StatusContext } from './container-status.ts';
import { type PodRecord, succeeded } from './pod-record.ts';

type Verdict = Pick<PodCondition, 'status' | 'reason' | 'message'>;

function statuses(
  containers: readonly Container[],
  record: PodRecord,
  init: boolean,
  context: StatusContext,
): ContainerStatus[] {
  const records = init ? record.init : record.containers;
  return containers.flatMap((container) => {
    const found = records.find((each) => each.name === container.name);
    return found === undefined ? [] : [containerStatus(container, found, init, context)];
  });
}

function ended(status: ContainerStatus): boolean {
  return (
    status.state.terminated !== undefined ||
    (status.state.waiting !== undefined && status.lastState.terminated !== undefined)
  );
}

function phaseOf(pod: Pod, init: readonly ContainerStatus[], regular: readonly ContainerStatus[]): string {
  const policy = pod.spec.restartPolicy ?? 'Always';
  const initFailed = init.some((each) => (each.state.terminated?.exitCode ?? 0) !== 0);
  if (initFailed && policy === 'Never') return 'Failed';
  if (init.some((each) => !each.ready)) return 'Pending';
  if (regular.some((each) => each.state.waiting !== undefined && each.lastState.terminated === undefined))
    return 'Pending';
  if (regular.some((each) => each.state.running !== undefined)) return 'Running';
  if (!regular.every(ended)) return 'Pending';
  if (policy === 'Always' && pod.metadata.deletionTimestamp === undefined) return 'Running';
  const codes = regular.map((each) => each.state.terminated?.exitCode ?? each.lastState.terminated?.exitCode ?? 0);
  if (codes.every((code) => code === 0)) return 'Succeeded';
  return policy === 'OnFailure' && pod.metadata.deletionTimestamp === undefined ? 'Running' : 'Failed';
}

function list(names: readonly string[]): string {
  return `[${names.join(' ')}]`;
}

function containersReady(phase: string, regular: readonly ContainerStatus[]): Verdict {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  const unready = regular.filter((each) => !each.ready).map((each) => each.name);
  if (unready.length === 0) return { status: 'True' };
  return { status: 'False', reason: 'ContainersNotReady', message: `containers with unready status: ${list(unready)}` };
}

function initialized(phase: string, init: readonly ContainerStatus[]): Verdict {
  if (phase === 'Succeeded') return { status: 'True', reason: 'PodCompleted' };
  const incomplete = init.filter((each) => !each.ready).map((each) => each.name);
  if (incomplete.length === 0) return { status: 'True' };
  return {
    status: 'False',
    reason: 'ContainersNotInitialized',
    message: `containers with incomplete status: ${list(incomplete)}`,
  };
}

function condition(type: string, verdict: Verdict, pod: Pod, now: number): PodCondition {
  const before = pod.status?.conditions?.find((each) => each.type === type);
  const kept = before?.status === verdict.status ? before.lastTransitionTime : undefined;
  const generation = pod.metadata.generation;
  return {
    type,
    status: verdict.status,
    ...(verdict.reason === undefined ? {} : { reason: verdict.reason }),
    ...(verdict.message === undefined ? {} : { message: verdict.message }),
    lastProbeTime: null,
    lastTransitionTime: kept ?? apiTime(now),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}

const OURS: readonly string[] = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady'];

function conditions(
  pod: Pod,
  record: PodRecord,
  now: number,
  phase: string,
  init: ContainerStatus[],
  regular: ContainerStatus[],
): PodCondition[] {
  const ready = containersReady(phase, regular);
  const sandbox: Verdict = {
    status: now >= record.sandboxAt && phase !== 'Succeeded' && phase !== 'Failed' ? 'True' : 'False',
  };
  const others = (pod.status?.conditions ?? []).filter((each) => !OURS.includes(each.type));
  if (!others.some((each) => each.type === 'PodScheduled'))
    others.push(condition('PodScheduled', { status: 'True' }, pod, now));
  return [
    condition('PodReadyToStartContainers', sandbox, pod, now),
    condition('Initialized', initialized(phase, init), pod, now),
    condition('Ready', ready, pod, now),
    condition('ContainersReady', ready, pod, now),
    ...others,
  ];
}

function qosClass(pod: Pod): string {
  const all = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  const none = all.every(
    (each) => Object.keys({ ...each.resources?.limits, ...each.resources?.requests }).length === 0,
  );
  if (none) return 'BestEffort';
  const guaranteed = all.every((each) =>
    ['cpu', 'memory'].every((name) => {
      const limit = each.resources?.limits?.[name];
      return limit !== undefined && (each.resources?.requests?.[name] ?? limit) === limit;
    }),
  );
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

/** The status a kubelet publishes at `now` for a pod in this state; conditions of other writers are kept as they are. */
export function podStatus(pod: Pod, record: PodRecord, now: number, speed: number): PodStatus {
  const hasInit = record.init.length > 0;
  const context: StatusContext = { pod, now, speed, hasInit, initialized: record.init.every(succeeded) };
  const init = statuses(pod.spec.initContainers ?? [], record, true, context);
  const regular = statuses(pod.spec.containers, record, false, context);
  const phase = phaseOf(pod, init, regular);
  const generation = pod.metadata.generation;
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    phase,
    conditions: conditions(pod, record, now, phase, init, regular),
    hostIP: '127.0.0.1',
    hostIPs: [{ ip: '127.0.0.1' }],
    ...(now >= record.sandboxAt ? { podIP: record.podIP, podIPs: [{ ip: record.podIP }] } : {}),
    startTime: pod.status?.startTime ?? apiTime(record.acceptedAt),
    ...(hasInit ? { initContainerStatuses: init } : {}),
    containerStatuses: regular,
    qosClass: pod.status?.qosClass ?? qosClass(pod),
  };
}
