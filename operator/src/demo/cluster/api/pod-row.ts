import { at, type Json, listAt, numberAt, recordAt, textAt } from '../json-at.ts';
import type { KubeObject } from '../object.ts';
import { age } from './age.ts';

/** READY, STATUS and RESTARTS of a pod, as kubectl's readers know them. */
export interface PodSummary {
  readonly ready: string;
  readonly status: string;
  readonly restarts: string;
}

export function summarizePod(pod: KubeObject, now: Date): PodSummary {
  const statuses = listAt(pod, 'status', 'containerStatuses');
  const restarts = statuses.reduce<number>((sum, each) => sum + (numberAt(each, 'restartCount') ?? 0), 0);
  const last = statuses
    .map((each) => textAt(each, 'lastState', 'terminated', 'finishedAt') ?? '')
    .sort()
    .at(-1);
  const ready = statuses.filter((each) => recordAt(each).ready === true && at(each, 'state', 'running') !== undefined);
  return {
    ready: `${ready.length}/${listAt(pod, 'spec', 'containers').length}`,
    status: statusText(pod, statuses, ready.length > 0),
    restarts: restarts > 0 && last ? `${restarts} (${age(last, now)} ago)` : String(restarts),
  };
}

function statusText(pod: KubeObject, statuses: readonly unknown[], anyReady: boolean): string {
  const phase = textAt(pod, 'status', 'phase') ?? 'Unknown';
  const podReason = textAt(pod, 'status', 'reason');
  const leaving = pod.metadata.deletionTimestamp !== undefined && phase !== 'Succeeded' && phase !== 'Failed';
  if (leaving) return podReason === 'NodeLost' ? 'Unknown' : 'Terminating';
  const initializing = initText(pod);
  if (initializing) return initializing;
  // The first container with something to say wins.
  const reason = statuses.map(stateReason).find((each) => each !== undefined) ?? podReason ?? phase;
  if (reason === 'Completed' && anyReady) return isReady(pod) ? 'Running' : 'NotReady';
  return reason;
}

function initText(pod: KubeObject): string | undefined {
  const statuses = listAt(pod, 'status', 'initContainerStatuses');
  const index = statuses.findIndex((each) => numberAt(each, 'state', 'terminated', 'exitCode') !== 0);
  if (index < 0) return undefined;
  const reason = stateReason(statuses[index]);
  if (reason && reason !== 'PodInitializing') return `Init:${reason}`;
  return `Init:${index}/${listAt(pod, 'spec', 'initContainers').length}`;
}

function stateReason(status: unknown): string | undefined {
  const waiting = textAt(status, 'state', 'waiting', 'reason');
  if (waiting) return waiting;
  const terminated = at(status, 'state', 'terminated') as Json | undefined;
  if (!terminated) return undefined;
  if (textAt(terminated, 'reason')) return textAt(terminated, 'reason');
  const signal = numberAt(terminated, 'signal');
  return signal ? `Signal:${signal}` : `ExitCode:${numberAt(terminated, 'exitCode') ?? 0}`;
}

function isReady(pod: KubeObject): boolean {
  return listAt(pod, 'status', 'conditions').some(
    (each) => textAt(each, 'type') === 'Ready' && textAt(each, 'status') === 'True',
  );
}
