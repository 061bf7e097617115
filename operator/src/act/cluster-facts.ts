import type { FreshTarget } from '@hephaisto/core/action/kind';
import { memoryAndCpuOf } from '@hephaisto/core/action/present-amounts';
import type { RawObject } from '@hephaisto/core/action/raw-object';
import { type PodRemoval, stuckPods } from '@hephaisto/core/action/rollback-workload/stuck-pods';
import type { AnyActionRequest } from '@hephaisto/core/action/types';
import type { PodFact, WorkloadFact } from '@hephaisto/core/facts/facts';
import { projectMeta } from '@hephaisto/core/facts/project-meta';
import { projectPod } from '@hephaisto/core/facts/project-pod';
import { revisionInForce } from '@hephaisto/core/facts/revision-in-force';
import type { KubeRead, KubeReader } from '@hephaisto/core/ports/kube';
import { type Known, known, type PolicyInput, unknown } from '@hephaisto/policy/input';
import type { StateBefore } from '@hephaisto/verifier/facts';
import { restartCounts } from '@hephaisto/verifier/probe/measure';
import { readGitOpsOwners } from './gitops-owners.ts';
import { asKnown, podsOfJob, readObject, readWorkload, type WorkloadReading } from './workload-facts.ts';

/** What was read of the cluster for one action, at one moment. */
export interface ClusterFacts {
  readonly target: Known<FreshTarget>;
  /** The server said that there is no such object, which is more than not being able to read it. */
  readonly targetGone: boolean;
  readonly policy: Pick<PolicyInput, 'namespaceLabels' | 'target' | 'workload' | 'youngestPodSeconds' | 'gitOps'>;
  readonly before: StateBefore | undefined;
  /** Pods that the controller cannot replace after a rollback. */
  readonly removes: readonly PodRemoval[];
}

/** Reads everything that gates and the request need, at once. Never throws; what cannot be read is unknown, with why. */
export async function gatherClusterFacts(
  reader: KubeReader,
  request: AnyActionRequest,
  now: Date,
): Promise<ClusterFacts> {
  const { workload: ref, target } = request;
  const own = target.kind === ref.kind && target.name === ref.name && target.namespace === ref.namespace;
  const [labels, workload, separate] = await Promise.all([
    reader.namespaceLabels(target.namespace),
    readWorkload(reader, ref),
    own ? undefined : readObject(reader, target),
  ]);
  const read = separate ?? workload.object;
  const revision = await revisionOf(reader, request, workload.fact);
  const fresh = freshTarget(read, workload, revision);
  return {
    target: sameObject(fresh, request),
    targetGone: (read.kind === 'failure' && read.reason === 'not-found') || replaced(fresh, request),
    policy: {
      namespaceLabels: asKnown(labels),
      target: targetState(fresh, request),
      workload: withRevision(workload.state, revision),
      gitOps: await gitOpsOf(reader, request, fresh),
      youngestPodSeconds: youngest(await disturbedPods(reader, request, read, workload), now),
    },
    before: beforeOf(workload),
    removes: removesOf(request, workload),
  };
}

async function gitOpsOf(
  reader: KubeReader,
  request: AnyActionRequest,
  fresh: Known<FreshTarget>,
): Promise<PolicyInput['gitOps']> {
  if (!fresh.known) return fresh;
  const { object, workload } = fresh.value;
  const objects = workload === undefined || workload === object ? [object] : [object, workload];
  return known(await readGitOpsOwners(reader, request, objects));
}

type Revision = Known<FreshTarget['revision']>;

async function revisionOf(
  reader: KubeReader,
  request: AnyActionRequest,
  workload: WorkloadFact | undefined,
): Promise<Revision | undefined> {
  if (request.type !== 'RollbackWorkload' || workload === undefined) return undefined;
  return await revisions(reader, workload, request.params.toRevision);
}

/** Gates on the revision in force are told it for every kind of controller, not only for those that carry its number. */
function withRevision(state: PolicyInput['workload'], revision: Revision | undefined): PolicyInput['workload'] {
  if (!state.known || !revision?.known || revision.value === undefined) return state;
  return known({ ...state.value, currentRevision: revision.value.current });
}

async function revisions(reader: KubeReader, workload: WorkloadFact, wanted: number): Promise<Revision> {
  const read = await reader.revisions(workload);
  if (read.kind === 'failure') return unknown(read.message);
  const found = read.value.find(({ revision }) => revision === wanted);
  const current = revisionInForce(workload, read.value);
  if (current.kind === 'unknown') return unknown(current.why);
  return known({
    current: current.revision,
    ...(found === undefined ? {} : { restore: { revision: found.revision, template: found.template } }),
  });
}

function freshTarget(
  read: KubeRead<RawObject>,
  workload: WorkloadReading,
  revision: Revision | undefined,
): Known<FreshTarget> {
  if (read.kind === 'failure') return unknown(read.message);
  if (revision !== undefined && !revision.known) return unknown(revision.why);
  return known({
    object: read.value,
    ...(workload.object.kind === 'ok' ? { workload: workload.object.value } : {}),
    ...(revision?.value === undefined ? {} : { revision: revision.value }),
  });
}

function replaced(fresh: Known<FreshTarget>, { target }: AnyActionRequest): boolean {
  return fresh.known && projectMeta(fresh.value.object).uid !== target.uid;
}

function sameObject(fresh: Known<FreshTarget>, request: AnyActionRequest): Known<FreshTarget> {
  return replaced(fresh, request) ? unknown('another object has taken the name of the target') : fresh;
}

function targetState(fresh: Known<FreshTarget>, request: AnyActionRequest): PolicyInput['target'] {
  if (!fresh.known) return fresh;
  const { object } = fresh.value;
  const { labels, annotations } = projectMeta(object);
  const amounts = request.type === 'PatchResources' ? memoryAndCpuOf(object, request.params.container) : {};
  // Read from the pod itself: a pod that its controller's selector misses serves all the same.
  return known({ labels, annotations, ready: request.target.kind === 'Pod' && projectPod(object).ready, ...amounts });
}

/** Pods that the action takes away: one, those of the one job, or all of the controller. */
async function disturbedPods(
  reader: KubeReader,
  { target, workload: ref }: AnyActionRequest,
  read: KubeRead<RawObject>,
  workload: WorkloadReading,
): Promise<Known<readonly PodFact[]>> {
  if (target.kind === ref.kind) return workload.pods;
  if (read.kind === 'failure') return unknown(read.message);
  if (target.kind === 'Pod') return known([projectPod(read.value)]);
  return target.kind === 'Job' ? await podsOfJob(reader, read.value) : workload.pods;
}

const ENDED_PHASES: ReadonlySet<string> = new Set(['Succeeded', 'Failed']);

/** A pod that has ended or is being deleted is no longer young: nothing of it can still come up. */
function youngest(disturbed: Known<readonly PodFact[]>, now: Date): Known<number | undefined> {
  if (!disturbed.known) return disturbed;
  const running = disturbed.value.filter((pod) => pod.deletingSince === undefined && !ENDED_PHASES.has(pod.phase));
  if (running.length === 0) return known(undefined);
  return known((now.getTime() - Math.max(...running.map((pod) => pod.createdAt.getTime()))) / 1000);
}

function removesOf(request: AnyActionRequest, { fact, pods }: WorkloadReading): readonly PodRemoval[] {
  if (request.type !== 'RollbackWorkload' || fact === undefined || !pods.known) return [];
  return stuckPods(fact, pods.value);
}

function beforeOf({ fact, pods }: WorkloadReading): StateBefore | undefined {
  if (fact === undefined || !pods.known) return undefined;
  return { ready: fact.status.ready, restarts: restartCounts(pods.value) };
}
