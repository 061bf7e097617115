import { numberAt, type RawObject, recordAt } from '@hephaisto/core/action/raw-object';
import { isTargetKind, TARGET_RESOURCES } from '@hephaisto/core/action/workload-resource';
import { assertNever } from '@hephaisto/core/assert-never';
import type { ObjectRef, PodFact, WorkloadFact } from '@hephaisto/core/facts/facts';
import { projectMeta } from '@hephaisto/core/facts/project-meta';
import { recordsAt, stringMapAt, textAt } from '@hephaisto/core/facts/raw';
import type { KubeFailure, KubeRead, KubeReader } from '@hephaisto/core/ports/kube';
import { type Known, known, unknown, type WorkloadState } from '@hephaisto/policy/input';

/** The controller of an action as the cluster holds it now. */
export interface WorkloadReading {
  readonly object: KubeRead<RawObject>;
  readonly state: Known<WorkloadState>;
  /** Pods that the controller owns now. */
  readonly pods: Known<readonly PodFact[]>;
  /** Only for kinds that serve with replicas. */
  readonly fact?: WorkloadFact;
}

/** More running jobs of one schedule than this are not read: the answer would be too late to be about now. */
const MAX_ACTIVE_JOBS = 10;

/** Reads what the kind of controller really has. A part that the cluster does not answer is unknown, and so is a kind that cannot be read. */
export async function readWorkload(reader: KubeReader, ref: ObjectRef): Promise<WorkloadReading> {
  if (!isTargetKind(ref.kind)) return unreadable(`the controller is a ${ref.kind}, whose state cannot be read`);
  switch (ref.kind) {
    case 'Deployment':
    case 'StatefulSet':
    case 'DaemonSet':
    case 'ReplicaSet':
      return await readReplicated(reader, ref);
    case 'Job':
      return await readJob(reader, ref);
    case 'CronJob':
      return await readCronJob(reader, ref);
    case 'Pod':
      return unreadable('the pod has no controller that would make it again');
    default:
      return assertNever(ref.kind);
  }
}

/** Any object that an action may name, as the API holds it. */
export async function readObject(reader: KubeReader, ref: ObjectRef): Promise<KubeRead<RawObject>> {
  if (!isTargetKind(ref.kind)) return invalid(`expected a kind that can be acted on, found \`${ref.kind}\``);
  const { apiVersion, resource } = TARGET_RESOURCES[ref.kind];
  const read = await reader.object(apiVersion, resource, ref.namespace, ref.name);
  return read.kind === 'ok' ? { kind: 'ok', value: { ...read.value, kind: ref.kind } } : read;
}

async function readReplicated(reader: KubeReader, ref: ObjectRef): Promise<WorkloadReading> {
  const read = await reader.workload(ref.kind, ref.namespace, ref.name);
  if (read.kind === 'failure') return failed(read);
  const fact = read.value;
  return {
    object: { kind: 'ok', value: { ...fact.raw, kind: fact.kind } },
    state: known(replicatedState(fact)),
    pods: asKnown(await reader.pods(ref.namespace, fact.selector)),
    fact,
  };
}

function replicatedState(fact: WorkloadFact): WorkloadState {
  const { labels, annotations, replicas, status, revision, generation, observedGeneration } = fact;
  // A ReplicaSet has one template for life and counts no updated pods, so only its generation can be in flight.
  const olderPods = fact.kind !== 'ReplicaSet' && status.replicas > status.updated;
  return {
    labels,
    annotations,
    replicas,
    ready: status.ready,
    rolloutInFlight: observedGeneration < generation || olderPods,
    ...(revision === undefined ? {} : { currentRevision: revision }),
  };
}

async function readJob(reader: KubeReader, ref: ObjectRef): Promise<WorkloadReading> {
  const object = await readObject(reader, ref);
  if (object.kind === 'failure') return failed(object);
  const pods = await podsOfJob(reader, object.value);
  return { object, pods, state: runningState(object.value, pods, parallelismOf(object.value)) };
}

/** A schedule serves with the jobs that run now; its own object carries the marks that people set. */
async function readCronJob(reader: KubeReader, ref: ObjectRef): Promise<WorkloadReading> {
  const object = await readObject(reader, ref);
  if (object.kind === 'failure') return failed(object);
  const active = recordsAt(recordAt(object.value, '/status') ?? {}, 'active');
  if (active.length > MAX_ACTIVE_JOBS) {
    const why = `the schedule has ${active.length} running jobs, more than the ${MAX_ACTIVE_JOBS} that are read`;
    return { object, state: unknown(why), pods: unknown(why) };
  }
  const jobs = await Promise.all(
    active.map((job) => readJob(reader, { kind: 'Job', namespace: ref.namespace, name: textAt(job, 'name') ?? '' })),
  );
  const present = jobs.filter((job) => job.object.kind === 'ok' || job.object.reason !== 'not-found');
  const pods = allKnown(present.map((job) => job.pods));
  const parallel = present.map(({ object: job }) => (job.kind === 'ok' ? parallelismOf(job.value) : 1));
  return {
    object,
    pods,
    state: runningState(
      object.value,
      pods,
      parallel.reduce((sum, each) => sum + each, 0),
    ),
  };
}

/** A job's pod template cannot be changed, so neither it nor its schedule is ever in a rollout. */
function runningState(object: RawObject, pods: Known<readonly PodFact[]>, replicas: number): Known<WorkloadState> {
  if (!pods.known) return pods;
  const { labels, annotations } = projectMeta(object);
  const ready = pods.value.filter((pod) => pod.ready && pod.deletingSince === undefined).length;
  return known({ labels, annotations, replicas, ready, rolloutInFlight: false });
}

function parallelismOf(job: RawObject): number {
  return numberAt(job, '/spec/parallelism') ?? 1;
}

/** The API server gives each job a selector of its own. */
export async function podsOfJob(reader: KubeReader, job: RawObject): Promise<Known<readonly PodFact[]>> {
  const selector = stringMapAt(recordAt(job, '/spec/selector') ?? {}, 'matchLabels');
  if (Object.keys(selector).length === 0) return unknown('the job has no selector that names its pods');
  return asKnown(await reader.pods(projectMeta(job).namespace, selector));
}

function allKnown(parts: readonly Known<readonly PodFact[]>[]): Known<readonly PodFact[]> {
  const pods: PodFact[] = [];
  for (const part of parts) {
    if (!part.known) return part;
    pods.push(...part.value);
  }
  return known(pods);
}

function failed(failure: KubeFailure): WorkloadReading {
  return { object: failure, state: unknown(failure.message), pods: unknown(failure.message) };
}

function unreadable(why: string): WorkloadReading {
  return failed(invalid(why));
}

function invalid(message: string): KubeFailure {
  return { kind: 'failure', reason: 'invalid', message };
}

export function asKnown<T>(read: KubeRead<T>): Known<T> {
  return read.kind === 'ok' ? known(read.value) : unknown(read.message);
}
