import type { FreshTarget } from '@hephaisto/core/action/kind';
import { memoryAndCpuOf } from '@hephaisto/core/action/present-amounts';
import type { RawObject } from '@hephaisto/core/action/raw-object';
import type { AnyActionRequest } from '@hephaisto/core/action/types';
import { TARGET_RESOURCES, TEMPLATE_RESOURCES } from '@hephaisto/core/action/workload-resource';
import type { PodFact, WorkloadFact } from '@hephaisto/core/facts/facts';
import { projectMeta } from '@hephaisto/core/facts/project-meta';
import type { KubeRead, KubeReader } from '@hephaisto/core/ports/kube';
import {
  type ClusterHealth,
  type Known,
  known,
  type PolicyInput,
  unknown,
  type WorkloadState,
} from '@hephaisto/policy/input';
import type { StateBefore } from '@hephaisto/verifier/facts';
import { restartCounts } from '@hephaisto/verifier/probe/measure';

/** What was read of the cluster for one action, at one moment. */
export interface ClusterFacts {
  readonly target: Known<FreshTarget>;
  /** The server said that there is no such object, which is more than not being able to read it. */
  readonly targetGone: boolean;
  readonly policy: Pick<
    PolicyInput,
    'namespaceLabels' | 'target' | 'workload' | 'youngestPodSeconds' | 'clusterHealth'
  >;
  readonly before: StateBefore | undefined;
}

/** Reads everything that gates and the request need, at once. Never throws; what cannot be read is unknown, with why. */
export async function gatherClusterFacts(
  reader: KubeReader,
  request: AnyActionRequest,
  now: Date,
): Promise<ClusterFacts> {
  const { workload: ref, target } = request;
  const controlled = TEMPLATE_RESOURCES[ref.kind] !== undefined;
  const [labels, workload, object, health] = await Promise.all([
    reader.namespaceLabels(target.namespace),
    controlled ? reader.workload(ref.kind, ref.namespace, ref.name) : undefined,
    target.kind === ref.kind && controlled ? undefined : readTarget(reader, request),
    clusterHealth(reader),
  ]);
  const pods = workload?.kind === 'ok' ? await reader.pods(ref.namespace, workload.value.selector) : undefined;
  const read = object ?? (workload === undefined ? undefined : rawOf(workload));
  const revision =
    request.type === 'RollbackWorkload' && workload?.kind === 'ok'
      ? await revisions(reader, workload.value, request.params.toRevision)
      : undefined;
  const fresh = freshTarget(read, workload, revision);
  return {
    target: sameObject(fresh, request),
    targetGone: (read?.kind === 'failure' && read.reason === 'not-found') || replaced(fresh, request),
    policy: {
      namespaceLabels: asKnown(labels),
      target: targetState(fresh, request, pods),
      workload: workload === undefined ? known(JOB_AS_WORKLOAD) : workloadState(workload),
      youngestPodSeconds: youngest(request, controlled, pods, now),
      clusterHealth: health,
    },
    before: beforeOf(workload, pods),
  };
}

/** A job stands for itself: it is one thing, and there is no rollout of it. */
const JOB_AS_WORKLOAD: WorkloadState = { labels: {}, annotations: {}, replicas: 1, ready: 0, rolloutInFlight: false };

async function readTarget(reader: KubeReader, { target }: AnyActionRequest): Promise<KubeRead<RawObject>> {
  const where = TARGET_RESOURCES[target.kind];
  if (where === undefined)
    return {
      kind: 'failure',
      reason: 'invalid',
      message: `expected a kind that can be acted on, found \`${target.kind}\``,
    };
  const read = await reader.object(where.apiVersion, where.resource, target.namespace, target.name);
  return read.kind === 'ok' ? { kind: 'ok', value: { kind: target.kind, ...read.value } } : read;
}

function rawOf(read: KubeRead<WorkloadFact>): KubeRead<RawObject> {
  return read.kind === 'ok' ? { kind: 'ok', value: { kind: read.value.kind, ...read.value.raw } } : read;
}

type Revision = Known<FreshTarget['revision']>;

async function revisions(reader: KubeReader, workload: WorkloadFact, wanted: number): Promise<Revision> {
  const read = await reader.revisions(workload);
  if (read.kind === 'failure') return unknown(read.message);
  const found = read.value.find(({ revision }) => revision === wanted);
  // Some controllers do not write their revision on the workload itself; the newest revision is the one in force.
  const current = workload.revision ?? read.value[0]?.revision;
  if (current === undefined) return unknown('the workload names no revision');
  return known({
    current,
    ...(found === undefined ? {} : { restore: { revision: found.revision, template: found.template } }),
  });
}

function freshTarget(
  read: KubeRead<RawObject> | undefined,
  workload: KubeRead<WorkloadFact> | undefined,
  revision: Revision | undefined,
): Known<FreshTarget> {
  if (read === undefined) return unknown('nothing was read');
  if (read.kind === 'failure') return unknown(read.message);
  if (revision !== undefined && !revision.known) return unknown(revision.why);
  return known({
    object: read.value,
    ...(workload?.kind === 'ok' ? { workload: { kind: workload.value.kind, ...workload.value.raw } } : {}),
    ...(revision?.value === undefined ? {} : { revision: revision.value }),
  });
}

function replaced(fresh: Known<FreshTarget>, { target }: AnyActionRequest): boolean {
  return fresh.known && projectMeta(fresh.value.object).uid !== target.uid;
}

function sameObject(fresh: Known<FreshTarget>, request: AnyActionRequest): Known<FreshTarget> {
  return replaced(fresh, request) ? unknown('another object has taken the name of the target') : fresh;
}

function targetState(
  fresh: Known<FreshTarget>,
  request: AnyActionRequest,
  pods: KubeRead<readonly PodFact[]> | undefined,
): PolicyInput['target'] {
  if (!fresh.known) return fresh;
  const { labels, annotations } = projectMeta(fresh.value.object);
  const pod = pods?.kind === 'ok' ? pods.value.find(({ uid }) => uid === request.target.uid) : undefined;
  const amounts = request.type === 'PatchResources' ? memoryAndCpuOf(fresh.value.object, request.params.container) : {};
  return known({ labels, annotations, ready: pod?.ready ?? false, ...amounts });
}

function workloadState(read: KubeRead<WorkloadFact>): Known<WorkloadState> {
  if (read.kind === 'failure') return unknown(read.message);
  const { labels, annotations, replicas, status, revision, generation, observedGeneration } = read.value;
  return known({
    labels,
    annotations,
    replicas,
    ready: status.ready,
    rolloutInFlight: observedGeneration < generation || status.replicas > status.updated,
    ...(revision === undefined ? {} : { currentRevision: revision }),
  });
}

function youngest(
  request: AnyActionRequest,
  controlled: boolean,
  pods: KubeRead<readonly PodFact[]> | undefined,
  now: Date,
): Known<number | undefined> {
  if (!controlled) return known(undefined);
  if (pods === undefined) return unknown('the workload could not be read');
  if (pods.kind === 'failure') return unknown(pods.message);
  const disturbed = pods.value.filter(
    (pod) => pod.deletingSince === undefined && (request.type !== 'RestartPod' || pod.uid === request.target.uid),
  );
  if (disturbed.length === 0) return known(undefined);
  return known((now.getTime() - Math.max(...disturbed.map((pod) => pod.createdAt.getTime()))) / 1000);
}

async function clusterHealth(reader: KubeReader): Promise<Known<ClusterHealth>> {
  const [pods, nodes] = await Promise.all([reader.pods(''), reader.nodes()]);
  if (pods.kind === 'failure') return unknown(pods.message);
  if (nodes.kind === 'failure') return unknown(nodes.message);
  const counted = pods.value.filter((pod) => pod.phase !== 'Succeeded' && pod.deletingSince === undefined);
  return known({
    pods: counted.length,
    unreadyPods: counted.filter((pod) => !pod.ready).length,
    nodes: nodes.value.length,
    unreadyNodes: nodes.value.filter((node) => node.ready !== 'True').length,
  });
}

function beforeOf(
  workload: KubeRead<WorkloadFact> | undefined,
  pods: KubeRead<readonly PodFact[]> | undefined,
): StateBefore | undefined {
  if (workload?.kind !== 'ok' || pods?.kind !== 'ok') return undefined;
  return { ready: workload.value.status.ready, restarts: restartCounts(pods.value) };
}

function asKnown<T>(read: KubeRead<T>): Known<T> {
  return read.kind === 'ok' ? known(read.value) : unknown(read.message);
}
