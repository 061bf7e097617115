import type { Pod } from '../kube-client/pod.ts';
import type { ContainerRecord, Life } from './container-record.ts';
import { containerStatus } from './container-status.ts';
import type { WrittenLine } from './log-lines.ts';
import type { PodRecord } from './pod-record.ts';
import { succeeded } from './pod-record.ts';

/** What a reader of logs asks for; counts and seconds as in the API. */
export interface LogQuery {
  readonly previous: boolean;
  readonly follow: boolean;
  readonly timestamps: boolean;
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  readonly sinceTime?: string;
  readonly limitBytes?: number;
}

function count(value: string | null, least: number): number | undefined | 'invalid' {
  if (value === null || value === '') return undefined;
  const number = Number(value);
  return Number.isInteger(number) && number >= least ? number : 'invalid';
}

/** Reads the query of a `containerLogs` request; `undefined` for one that a kubelet calls invalid. */
export function parseLogQuery(params: URLSearchParams): LogQuery | undefined {
  const tailLines = count(params.get('tailLines'), 0);
  const sinceSeconds = count(params.get('sinceSeconds'), 1);
  const limitBytes = count(params.get('limitBytes'), 1);
  const sinceTime = params.get('sinceTime');
  if (tailLines === 'invalid' || sinceSeconds === 'invalid' || limitBytes === 'invalid') return undefined;
  if (sinceTime !== null && (sinceSeconds !== undefined || Number.isNaN(Date.parse(sinceTime)))) return undefined;
  return {
    previous: params.get('previous') === 'true',
    follow: params.get('follow') === 'true',
    timestamps: params.get('timestamps') === 'true',
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(sinceSeconds === undefined ? {} : { sinceSeconds }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
    ...(sinceTime === null ? {} : { sinceTime }),
  };
}

export type LogSource =
  | { readonly kind: 'life'; readonly life: Life }
  | { readonly kind: 'error'; readonly code: 400 | 404; readonly message: string };

function refused(message: string): LogSource {
  return { kind: 'error', code: 400, message };
}

function currentLife(
  pod: Pod,
  record: ContainerRecord,
  name: string,
  state: { waiting?: { reason: string } },
): LogSource {
  if (record.life !== undefined) return { kind: 'life', life: record.life };
  const where = `container ${JSON.stringify(name)} in pod ${JSON.stringify(pod.metadata.name)}`;
  const reason = state.waiting?.reason ?? '';
  if (reason === 'ErrImagePull') return refused(`${where} is waiting to start: image can't be pulled`);
  if (reason === 'ImagePullBackOff') return refused(`${where} is waiting to start: trying and failing to pull image`);
  return refused(
    reason === '' ? `${where} is waiting to start - no logs yet` : `${where} is waiting to start: ${reason}`,
  );
}

/** The life whose log is meant, or the kubelet's answer when there is none. */
export function logSource(
  pod: Pod,
  record: PodRecord,
  name: string,
  previous: boolean,
  now: number,
  speed: number,
): LogSource {
  const podName = JSON.stringify(pod.metadata.name);
  const init = record.init.find((each) => each.name === name);
  const found = init ?? record.containers.find((each) => each.name === name);
  const container = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].find((each) => each.name === name);
  if (found === undefined || container === undefined) {
    return { kind: 'error', code: 404, message: `container ${JSON.stringify(name)} not found in pod ${podName}` };
  }
  const hasInit = record.init.length > 0;
  const context = { pod, now, speed, hasInit, initialized: record.init.every(succeeded) };
  const status = containerStatus(container, found, init !== undefined, context);
  if (!previous) return currentLife(pod, found, name, status.state);
  const last = status.lastState.terminated?.containerID;
  const life = [found.life, found.previous].find((each) => each !== undefined && each.id === last);
  return life === undefined
    ? refused(`previous terminated container ${JSON.stringify(name)} in pod ${podName} not found`)
    : { kind: 'life', life };
}

function stamped(line: WrittenLine, timestamps: boolean): string {
  return `${timestamps ? `${new Date(line.at).toISOString().replace('Z', '000000Z')} ` : ''}${line.text}\n`;
}

/** The lines as bytes on the wire: first by time, then the tail, then cut at the byte limit. */
export function renderLog(lines: readonly WrittenLine[], query: LogQuery, now: number): Buffer {
  const since =
    query.sinceTime === undefined
      ? now - (query.sinceSeconds ?? Number.POSITIVE_INFINITY) * 1000
      : Date.parse(query.sinceTime);
  const recent = lines.filter((line) => line.at >= since);
  const tail = query.tailLines === undefined ? recent : query.tailLines === 0 ? [] : recent.slice(-query.tailLines);
  const bytes = Buffer.from(tail.map((line) => stamped(line, query.timestamps)).join(''), 'utf8');
  return query.limitBytes === undefined ? bytes : bytes.subarray(0, query.limitBytes);
}
