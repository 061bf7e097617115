import { episodeOf, presentTermination } from '../diagnose/episode.ts';
import { effectOf } from '../diagnose/field-effects.ts';
import type { ObjectRef, PodFact, ResourceAmounts, WorkloadFact } from '../facts/facts.ts';
import { pausedRollout } from '../facts/paused-rollout.ts';
import { given } from '../facts/raw.ts';
import { diffTemplates } from '../facts/template-diff.ts';
import type { Cause } from '../finding/finding.ts';
import type { InvestigationSubject } from '../investigation/investigator.ts';
import type { CauseClaim } from './conclude.ts';
import type { Observed } from './observed.ts';

export type ResolvedCause =
  | { readonly kind: 'resolved'; readonly cause: Cause }
  /** The finding may stand, but as words only: nothing can be planned on it. */
  | {
      readonly kind: 'unresolved';
      readonly reason: 'target-not-observed' | 'target-foreign' | 'not-borne-out';
      readonly message: string;
      readonly cause: Cause;
    };

interface Case {
  readonly subject: InvestigationSubject;
  readonly observed: Observed;
  readonly about: ObjectRef;
  readonly workload: WorkloadFact | undefined;
}

/**
 * Turns a claimed cause into one made of what steps have read: the model chooses which, every value comes from a reading. Names are
 * compared exactly, so one that only looks like another is nobody's.
 */
export function resolveCause(claim: CauseClaim, subject: InvestigationSubject, observed: Observed): ResolvedCause {
  const about = aboutOf(subject, observed);
  if (about === undefined)
    return unresolved('target-not-observed', 'no step has read what the incident is about', undefined);
  const workload = observed.workloads.find(
    (item) => item.kind === about.kind && item.namespace === about.namespace && item.name === about.name,
  );
  return RESOLVERS[claim.kind](claim, { subject, observed, about, workload });
}

type Resolver = (claim: CauseClaim, at: Case) => ResolvedCause;

const RESOLVERS: Readonly<Record<CauseClaim['kind'], Resolver>> = {
  'rollout-change': rolloutChange,
  'memory-limit-too-low': memoryLimit,
  'stale-local-state': (claim, at) => onePod(claim, at, true),
  'one-bad-replica': (claim, at) => onePod(claim, at, false),
  'image-missing': imageMissing,
  unschedulable,
  'config-missing': configMissing,
  'crash-application': (claim, at) =>
    withContainer(claim, at, (workload, container) => ({
      kind: 'crash-application',
      workload,
      container: container.name,
      ...given('paused', pausedRollout(at.workload)),
    })),
  upstream,
  'job-failed': jobFailed,
  'node-pressure': nodePressure,
  unknown: (_claim, at) => resolved({ kind: 'unknown', workload: at.about }),
};

function resolved(cause: Cause): ResolvedCause {
  return { kind: 'resolved', cause };
}

function unresolved(
  reason: Extract<ResolvedCause, { kind: 'unresolved' }>['reason'],
  message: string,
  about: ObjectRef | undefined,
): ResolvedCause {
  return {
    kind: 'unresolved',
    reason,
    message,
    cause: { kind: 'unknown', ...(about === undefined ? {} : { workload: about }) },
  };
}

function aboutOf(subject: InvestigationSubject, observed: Observed): ObjectRef | undefined {
  const { owner, namespace = '' } = subject;
  const jobLink = subject.ownerChain.find((entry) => entry.startsWith('Job/'))?.slice('Job/'.length);
  const jobName = owner?.kind === 'Job' ? owner.name : jobLink;
  const job = observed.jobs.find((item) => item.name === jobName && item.namespace === namespace);
  if (job !== undefined) return { kind: 'Job', namespace, name: job.name, uid: job.uid };
  if (owner === undefined) return undefined;
  const workload = observed.workloads.find(
    (item) => item.kind === owner.kind && item.namespace === namespace && item.name === owner.name,
  );
  if (workload !== undefined) return refOf(workload);
  const node = owner.kind === 'Node' ? observed.nodes.find((item) => item.name === owner.name) : undefined;
  return node === undefined ? undefined : { kind: 'Node', namespace: '', name: node.name, uid: node.uid };
}

function refOf(item: ObjectRef): ObjectRef {
  const { kind, namespace, name, uid } = item;
  return { kind, namespace, name, ...(uid === undefined ? {} : { uid }) };
}

function withWorkload(at: Case, make: (workload: ObjectRef) => Cause): ResolvedCause {
  return at.workload === undefined
    ? unresolved('target-not-observed', 'no step has read the workload', at.about)
    : resolved(make(refOf(at.workload)));
}

function withContainer(
  claim: CauseClaim,
  at: Case,
  make: (workload: ObjectRef, container: WorkloadFact['specs'][number]) => Cause | ResolvedCause,
): ResolvedCause {
  if (at.workload === undefined) return unresolved('target-not-observed', 'no step has read the workload', at.about);
  const apps = at.workload.specs.filter((spec) => !spec.init);
  const container =
    claim.container === undefined ? apps[0] : at.workload.specs.find((spec) => spec.name === claim.container);
  if (container === undefined)
    return unresolved('target-not-observed', `the workload has no container \`${claim.container ?? ''}\``, at.about);
  const made = make(refOf(at.workload), container);
  return made.kind === 'resolved' || made.kind === 'unresolved' ? made : resolved(made);
}

function rolloutChange(claim: CauseClaim, at: Case): ResolvedCause {
  const { about } = at;
  const revisions = at.observed.revisions(about.kind, about.namespace, about.name);
  const [newest] = revisions;
  if (newest === undefined || at.workload === undefined)
    return unresolved('target-not-observed', 'no step has read the revisions of the workload', about);
  if (claim.revision !== undefined && claim.revision !== newest.revision)
    return unresolved(
      'not-borne-out',
      `revision ${claim.revision} is not the newest, which is ${newest.revision}`,
      about,
    );
  const older = revisions.slice(1);
  const previous = older.find((revision) => revision.ready > 0) ?? older[0];
  if (previous === undefined) return unresolved('not-borne-out', 'the workload has only one revision', about);
  const changes = diffTemplates(previous.template, newest.template);
  if (changes.length === 0)
    return unresolved(
      'not-borne-out',
      `nothing changed from revision ${previous.revision} to ${newest.revision}`,
      about,
    );
  const symptom = claim.symptom ?? 'crash';
  const able = changes.filter((change) => effectOf(change, symptom) === 'can');
  if (able.length === 0 && changes.every((change) => effectOf(change, symptom) === 'cannot'))
    return unresolved('not-borne-out', `no field that revision ${newest.revision} changed can have this effect`, about);
  const decisive = able.find((change) => change.path === claim.field) ?? (able.length === 1 ? able[0] : undefined);
  return resolved({
    kind: 'rollout-change',
    workload: refOf(at.workload),
    symptom,
    revision: newest.revision,
    previousRevision: previous.revision,
    changedAt: newest.createdAt,
    changes,
    ...(decisive === undefined ? {} : { decisive }),
    ...given('paused', pausedRollout(at.workload)),
  });
}

function memoryLimit(claim: CauseClaim, at: Case): ResolvedCause {
  return withContainer(claim, at, (workload, container) => {
    const limitBytes = container.limits.memoryBytes;
    if (limitBytes === undefined)
      return unresolved('not-borne-out', `container ${container.name} has no memory limit`, at.about);
    const killed = podsOf(at).some((pod) =>
      pod.statuses.some(
        (status) =>
          status.name === container.name && presentTermination(status, episodeOf(at.subject))?.reason === 'OOMKilled',
      ),
    );
    if (!killed)
      return unresolved('not-borne-out', `no step shows container ${container.name} killed for memory`, at.about);
    return {
      kind: 'memory-limit-too-low',
      workload,
      container: container.name,
      limitBytes,
      ...given('paused', pausedRollout(at.workload)),
    };
  });
}

function podsOf({ about, workload, observed }: Case): readonly PodFact[] {
  const selector = Object.entries(workload?.selector ?? {});
  return observed.pods.filter(
    (pod) =>
      pod.namespace === about.namespace &&
      pod.deletingSince === undefined &&
      selector.every(([key, value]) => pod.labels[key] === value) &&
      ownerOf(pod)?.name === about.name,
  );
}

/** One sick pod among healthy ones. State that dies with the pod must be there, and none that outlives it. */
function onePod(claim: CauseClaim, at: Case, local: boolean): ResolvedCause {
  const pods = podsOf(at);
  const pod = pods.find((item) => item.name === claim.pod);
  if (at.workload === undefined || pod === undefined)
    return unresolved(
      'target-not-observed',
      `no step has read a pod \`${claim.pod ?? ''}\` of this workload`,
      at.about,
    );
  const others = pods.filter((item) => item !== pod);
  if (pod.ready || others.length === 0 || !others.every((item) => item.ready))
    return unresolved('not-borne-out', 'it is not one sick pod among healthy ones', at.about);
  const workload = refOf(at.workload);
  const target = { kind: 'Pod', namespace: pod.namespace, name: pod.name, uid: pod.uid };
  if (!local) return resolved({ kind: 'one-bad-replica', workload, pod: target });
  const dies = pod.volumes.some(({ kind }) => kind === 'emptyDir');
  const stays = pod.volumes.some(({ kind }) => kind === 'pvc' || kind === 'hostPath' || kind === 'other');
  if (!dies || stays)
    return unresolved('not-borne-out', 'the pod has no state that a new one would not find again', at.about);
  const container = claim.container ?? pod.specs.find((spec) => !spec.init)?.name ?? '';
  return resolved({ kind: 'stale-local-state', workload, pod: target, container });
}

function imageMissing(claim: CauseClaim, at: Case): ResolvedCause {
  return withContainer(claim, at, (workload, container) => {
    return { kind: 'image-missing', workload, container: container.name, image: container.image };
  });
}

/** What the pods ask for together, and the node that has most of it, where both were read. */
function unschedulable(claim: CauseClaim, at: Case): ResolvedCause {
  const resource = claim.resource ?? 'other';
  const of = (amounts: ResourceAmounts) =>
    resource === 'cpu' ? amounts.cpuMillis : resource === 'memory' ? amounts.memoryBytes : undefined;
  const requested = at.workload?.specs.reduce((sum, spec) => sum + (spec.init ? 0 : (of(spec.requests) ?? 0)), 0) ?? 0;
  const nodes = at.observed.nodes.map(({ name, allocatable }) => ({ name, allocatable: of(allocatable) ?? 0 }));
  const largestNode = nodes.sort((a, b) => b.allocatable - a.allocatable)[0];
  return withWorkload(at, (workload) => ({
    kind: 'unschedulable',
    workload,
    resource,
    ...(requested === 0 ? {} : { requested }),
    ...(largestNode === undefined || largestNode.allocatable === 0 ? {} : { largestNode }),
  }));
}

function configMissing(claim: CauseClaim, at: Case): ResolvedCause {
  const { source, name, key, container } = claim;
  if (source === undefined || name === undefined)
    return unresolved('not-borne-out', 'a missing configuration needs `source` and `name`', at.about);
  return withWorkload(at, (workload) => ({
    kind: 'config-missing',
    workload,
    source,
    name,
    ...(key === undefined ? {} : { key }),
    ...(container === undefined ? {} : { container }),
  }));
}

function upstream(claim: CauseClaim, at: Case): ResolvedCause {
  const service = at.observed.services.find(
    (item) => item.name === claim.name && item.namespace === at.about.namespace,
  );
  if (service === undefined)
    return unresolved('target-not-observed', `no step has read a Service \`${claim.name ?? ''}\``, at.about);
  if (service.endpoints.ready > 0)
    return unresolved(
      'not-borne-out',
      `Service ${service.name} has ${service.endpoints.ready} ready endpoints`,
      at.about,
    );
  const backend = at.observed.workloads.find(
    (item) => item.name === claim.backend && item.namespace === service.namespace,
  );
  const made = backendOfPods(service.selector, at) ?? (backend === undefined ? undefined : refOf(backend));
  return resolved({
    kind: 'upstream',
    workload: at.about,
    service: { kind: 'Service', namespace: service.namespace, name: service.name },
    ...(made === undefined ? {} : { backend: made }),
  });
}

function backendOfPods(selector: Readonly<Record<string, string>>, at: Case): ObjectRef | undefined {
  const labels = Object.entries(selector);
  const pod = at.observed.pods.find(
    (item) =>
      item.namespace === at.about.namespace &&
      labels.length > 0 &&
      labels.every(([key, value]) => item.labels[key] === value),
  );
  return pod === undefined ? undefined : ownerOf(pod);
}

/** The controller of a pod; for a ReplicaSet the Deployment above it, whose name is the ReplicaSet's less the hash. */
function ownerOf(pod: PodFact): ObjectRef | undefined {
  const owner = pod.owners.find((item) => item.controller) ?? pod.owners[0];
  const hash = pod.labels['pod-template-hash'];
  if (owner === undefined) return undefined;
  return owner.kind === 'ReplicaSet' && hash !== undefined && owner.name.endsWith(`-${hash}`)
    ? { kind: 'Deployment', namespace: pod.namespace, name: owner.name.slice(0, -hash.length - 1) }
    : { kind: owner.kind, namespace: pod.namespace, name: owner.name };
}

function jobFailed(_claim: CauseClaim, at: Case): ResolvedCause {
  const job = at.observed.jobs.find((item) => item.name === at.about.name && item.namespace === at.about.namespace);
  if (job === undefined) return unresolved('target-not-observed', 'no step has read the job', at.about);
  return resolved({ kind: 'job-failed', job: refOf(job), workload: at.about });
}

function nodePressure(claim: CauseClaim, at: Case): ResolvedCause {
  const node = at.observed.nodes.find((item) => item.name === claim.name);
  const pressed = node?.conditions.find((item) => item.type.endsWith('Pressure') && item.status === 'True');
  if (node === undefined)
    return unresolved('target-not-observed', `no step has read a node \`${claim.name ?? ''}\``, at.about);
  if (pressed === undefined) return unresolved('not-borne-out', `node ${node.name} is under no pressure`, at.about);
  return resolved({ kind: 'node-pressure', node: node.name, condition: pressed.type });
}
