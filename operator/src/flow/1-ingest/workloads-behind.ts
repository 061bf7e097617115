import { controllerOf } from '@hephaisto/core/diagnose/view';
import type { PodFact } from '@hephaisto/core/facts/facts';
import { recordAt, recordsAt, stringMapAt, textAt } from '@hephaisto/core/facts/raw';
import type { KubeFailure, KubeReader } from '@hephaisto/core/ports/kube';
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

/** Finds the workloads behind Services, Ingresses, autoscalers and claims by asking the cluster. */
export function createFindWorkloadsBehind(reader: Reads): FindWorkloadsBehind {
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
    .filter((pod) => pod.deletingSince === undefined)
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
 * could be resolved still meet. After the first question without an answer no other is asked: the API server is away.
 */
export async function resolveObjectOwners(
  find: FindWorkloadsBehind,
  objects: readonly NamedObject[],
): Promise<ReadonlyMap<string, ObjectOwner>> {
  const owners = new Map<string, ObjectOwner>();
  for (const named of objects.filter(({ cluster }) => cluster.local).slice(0, MAX_QUESTIONS)) {
    const behind = await find(named.namespace, named.object);
    if (behind.kind === 'unknown') break;
    const workloads = behind.kind === 'found' ? behind.workloads : [];
    const chain = [named.object, ...workloads].map(({ kind, name }) => `${kind}/${name}`);
    owners.set(objectKey(named), { owner: workloads[0] ?? named.object, chain, isMissing: behind.kind === 'gone' });
  }
  return owners;
}
