import { controllerOf } from '@hephaisto/core/diagnose/view';
import type { PodFact } from '@hephaisto/core/facts/facts';
import { recordAt, recordsAt, stringMapAt, textAt } from '@hephaisto/core/facts/raw';
import type { KubeFailure, KubeRead, KubeReader } from '@hephaisto/core/ports/kube';
import type { ResolvedOwner } from '@hephaisto/core/signal/alert-observation';
import type { OwnerRef } from '@hephaisto/core/signal/observation';

/** The workloads that an object of another kind stands for. Never throws; `unknown` when the cluster gave no answer. */
export type WorkloadsBehind =
  | { readonly kind: 'found'; readonly workloads: readonly OwnerRef[] }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unknown'; readonly message: string };

export type FindWorkloadsBehind = (namespace: string, object: OwnerRef) => Promise<WorkloadsBehind>;

/** Kinds that have no pods of their own and stand for workloads that do. */
const STANDS_FOR_WORKLOADS: readonly string[] = [
  'Service',
  'Ingress',
  'HorizontalPodAutoscaler',
  'PersistentVolumeClaim',
];

const NONE: WorkloadsBehind = { kind: 'found', workloads: [] };

/** More would join incidents that have nothing to do with each other. */
const MAX_WORKLOADS = 5;
const MAX_SERVICES = 5;

type Reads = Pick<KubeReader, 'object' | 'pods'>;

/** Failures that concern every question. A refusal or an answer that cannot be read concerns one kind of object. */
const AWAY: readonly KubeFailure['reason'][] = [
  'timeout',
  'unsent',
  'cut',
  'server-error',
  'too-many-requests',
  'unauthorized',
];

/** How long an answer is used again: senders that put one alert in a body ask the same of a whole namespace for each. */
const KEEP_MS = 10_000;

/** Answers kept. */
const MAX_KEPT = 1_000;

/**
 * Finds the workloads behind Services, Ingresses, autoscalers and claims by asking the cluster. After a failure that concerns every
 * question it answers `unknown` for a while without asking: bodies wait in line, and each would wait for a timeout.
 */
export function createFindWorkloadsBehind(
  reader: Reads,
  options: { readonly nowMs: () => number; readonly restMs: number },
): FindWorkloadsBehind {
  const { nowMs } = options;
  const kept = new Map<string, { readonly untilMs: number; readonly answer: Promise<KubeRead<unknown>> }>();
  let restsUntilMs = 0;

  async function ask<T>(read: () => Promise<KubeRead<T>>): Promise<KubeRead<T>> {
    if (nowMs() < restsUntilMs)
      return { kind: 'failure', reason: 'unsent', message: 'the API server did not answer a moment ago' };
    const answer = await read();
    if (answer.kind === 'failure' && AWAY.includes(answer.reason)) restsUntilMs = nowMs() + options.restMs;
    return answer;
  }

  function once<T>(key: string, read: () => Promise<KubeRead<T>>): Promise<KubeRead<T>> {
    const found = kept.get(key);
    // The key names the read, so the kept answer has the read's type.
    if (found !== undefined && nowMs() < found.untilMs) return found.answer as Promise<KubeRead<T>>;
    const answer = ask(read);
    kept.delete(key);
    kept.set(key, { untilMs: nowMs() + KEEP_MS, answer });
    if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value ?? '');
    return answer;
  }

  return findIn({
    object: (apiVersion, resource, namespace, name) =>
      once(JSON.stringify([resource, namespace, name]), () => reader.object(apiVersion, resource, namespace, name)),
    pods: (namespace, selector) =>
      once(JSON.stringify(['pods of', namespace, selector]), () => reader.pods(namespace, selector)),
  });
}

function findIn(reader: Reads): FindWorkloadsBehind {
  return (namespace, object) => {
    switch (object.kind) {
      case 'Service':
        return behindService(reader, namespace, object.name);
      case 'Ingress':
        return behindIngress(reader, namespace, object.name);
      case 'HorizontalPodAutoscaler':
        return behindAutoscaler(reader, namespace, object.name);
      case 'PersistentVolumeClaim':
        return behindClaim(reader, namespace, object.name);
      default:
        return Promise.resolve(NONE);
    }
  };
}

async function behindService(reader: Reads, namespace: string, name: string): Promise<WorkloadsBehind> {
  const service = await reader.object('v1', 'services', namespace, name);
  if (service.kind === 'failure') return unread(service);
  const selector = stringMapAt(recordAt(service.value, 'spec'), 'selector');
  // Without a selector its endpoints are somebody else's; an empty one would select every pod.
  if (Object.keys(selector).length === 0) return NONE;
  const pods = await reader.pods(namespace, selector);
  return pods.kind === 'failure' ? unread(pods) : { kind: 'found', workloads: workloadsOf(pods.value) };
}

async function behindIngress(reader: Reads, namespace: string, name: string): Promise<WorkloadsBehind> {
  const ingress = await reader.object('networking.k8s.io/v1', 'ingresses', namespace, name);
  if (ingress.kind === 'failure') return unread(ingress);
  const spec = recordAt(ingress.value, 'spec');
  const backends = [
    recordAt(spec, 'defaultBackend'),
    ...recordsAt(spec, 'rules')
      .flatMap((rule) => recordsAt(recordAt(rule, 'http'), 'paths'))
      .map((path) => recordAt(path, 'backend')),
  ];
  const names = backends
    .map((backend) => textAt(recordAt(backend, 'service'), 'name'))
    .filter((each) => each !== undefined);
  const found: OwnerRef[] = [];
  for (const service of [...new Set(names)].slice(0, MAX_SERVICES)) {
    const behind = await behindService(reader, namespace, service);
    if (behind.kind === 'unknown') return behind;
    if (behind.kind === 'found') found.push(...behind.workloads);
  }
  return { kind: 'found', workloads: distinct(found).slice(0, MAX_WORKLOADS) };
}

async function behindAutoscaler(reader: Reads, namespace: string, name: string): Promise<WorkloadsBehind> {
  const scaler = await reader.object('autoscaling/v2', 'horizontalpodautoscalers', namespace, name);
  if (scaler.kind === 'failure') return unread(scaler);
  const target = recordAt(scaler.value, 'spec', 'scaleTargetRef');
  const kind = textAt(target, 'kind');
  const targetName = textAt(target, 'name');
  return kind === undefined || targetName === undefined
    ? NONE
    : { kind: 'found', workloads: [{ kind, name: targetName }] };
}

async function behindClaim(reader: Reads, namespace: string, name: string): Promise<WorkloadsBehind> {
  const claim = await reader.object('v1', 'persistentvolumeclaims', namespace, name);
  if (claim.kind === 'failure') return unread(claim);
  const pods = await reader.pods(namespace);
  if (pods.kind === 'failure') return unread(pods);
  return { kind: 'found', workloads: workloadsOf(pods.value.filter((pod) => mounts(pod, name))) };
}

function mounts(pod: PodFact, claim: string): boolean {
  return pod.volumes.some(({ kind, source }) => kind === 'pvc' && source === claim);
}

function unread(failure: KubeFailure): WorkloadsBehind {
  return failure.reason === 'not-found' ? { kind: 'gone' } : { kind: 'unknown', message: failure.message };
}

/** Those with a pod that is not ready first: the alert is most likely about them. */
function workloadsOf(pods: readonly PodFact[]): readonly OwnerRef[] {
  const sorted = pods
    // A completed pod is not ready either, and is no fault.
    .filter(({ deletingSince, phase }) => deletingSince === undefined && phase !== 'Succeeded' && phase !== 'Failed')
    .toSorted((a, b) => Number(a.ready) - Number(b.ready) || (a.name < b.name ? -1 : 1));
  const owners = sorted.map((pod) => controllerOf(pod) ?? { kind: 'Pod', name: pod.name });
  return distinct(owners.map(({ kind, name }) => ({ kind, name }))).slice(0, MAX_WORKLOADS);
}

function distinct(owners: readonly OwnerRef[]): readonly OwnerRef[] {
  return [...new Map(owners.map((owner) => [`${owner.kind}/${owner.name}`, owner])).values()];
}

/** Objects asked about for one body; each costs a few reads, and a storm of alerts must not become a storm of requests. */
const MAX_QUESTIONS = 20;

/** An object that an alert is about. */
export interface NamedObject {
  readonly cluster: { readonly id: string; readonly local: boolean };
  readonly namespace: string;
  readonly object: OwnerRef;
}

export function objectKey({ cluster, namespace, object }: NamedObject): string {
  return JSON.stringify([cluster.id, namespace, object.kind, object.name]);
}

/** Whether an object has no pods of its own. */
export function standsForWorkloads(object: OwnerRef): boolean {
  return STANDS_FOR_WORKLOADS.includes(object.kind);
}

export interface ObjectOwner extends ResolvedOwner {
  /** The object does not exist. */
  readonly isMissing: boolean;
}

/**
 * The workloads behind the objects of a body's alerts, by `objectKey`. The object stays in the chain, so that alerts of which only some
 * could be resolved still meet.
 */
export async function resolveObjectOwners(
  find: FindWorkloadsBehind,
  objects: readonly NamedObject[],
): Promise<ReadonlyMap<string, ObjectOwner>> {
  const owners = new Map<string, ObjectOwner>();
  for (const named of objects.filter(({ cluster }) => cluster.local).slice(0, MAX_QUESTIONS)) {
    const behind = await find(named.namespace, named.object);
    if (behind.kind === 'unknown') continue;
    const workloads = behind.kind === 'found' ? behind.workloads : [];
    const chain = [named.object, ...workloads].map(({ kind, name }) => `${kind}/${name}`);
    owners.set(objectKey(named), { owner: workloads[0] ?? named.object, chain, isMissing: behind.kind === 'gone' });
  }
  return owners;
}
