import type { ContainerSpecFact, RevisionFact, WorkloadFact } from './facts.ts';
import { projectContainerSpecs } from './project-container.ts';
import { projectConditions, projectMeta } from './project-meta.ts';
import { asRecord, given, numberAt, type Raw, recordAt, stringMapAt, textAt } from './raw.ts';

export const REVISION_ANNOTATION = 'deployment.kubernetes.io/revision';
const CHANGE_CAUSE_ANNOTATION = 'kubernetes.io/change-cause';
const HASH_LABEL = 'pod-template-hash';

/** A Deployment, StatefulSet, DaemonSet or ReplicaSet. `kind` is used where the object itself does not carry one, as in lists. */
export function projectWorkload(object: Raw, kind: string): WorkloadFact {
  const meta = projectMeta(object);
  const spec = recordAt(object, 'spec');
  return {
    kind: textAt(object, 'kind') ?? kind,
    ...meta,
    generation: numberAt(recordAt(object, 'metadata'), 'generation') ?? 0,
    observedGeneration: numberAt(recordAt(object, 'status'), 'observedGeneration') ?? 0,
    selector: stringMapAt(recordAt(spec, 'selector'), 'matchLabels'),
    replicas: desiredReplicas(object, spec),
    status: projectReplicaStatus(recordAt(object, 'status')),
    ...given('revision', revisionNumber(meta.annotations[REVISION_ANNOTATION])),
    paused: spec.paused === true,
    conditions: projectConditions(object),
    specs: templateSpecs(object),
    raw: object,
  };
}

function desiredReplicas(object: Raw, spec: Raw): number {
  // A DaemonSet states its wish in its status only.
  return numberAt(spec, 'replicas') ?? numberAt(recordAt(object, 'status'), 'desiredNumberScheduled') ?? 1;
}

function projectReplicaStatus(status: Raw): WorkloadFact['status'] {
  const replicas = numberAt(status, 'replicas') ?? numberAt(status, 'currentNumberScheduled') ?? 0;
  const ready = numberAt(status, 'readyReplicas') ?? numberAt(status, 'numberReady') ?? 0;
  return {
    replicas,
    updated: numberAt(status, 'updatedReplicas') ?? numberAt(status, 'updatedNumberScheduled') ?? 0,
    ready,
    available: numberAt(status, 'availableReplicas') ?? numberAt(status, 'numberAvailable') ?? 0,
    unavailable: numberAt(status, 'unavailableReplicas') ?? numberAt(status, 'numberUnavailable') ?? 0,
  };
}

/** A ReplicaSet as one revision of its Deployment; undefined when it carries no revision number. */
export function projectReplicaSetRevision(object: Raw): RevisionFact | undefined {
  const meta = projectMeta(object);
  const revision = revisionNumber(meta.annotations[REVISION_ANNOTATION]);
  if (revision === undefined) return undefined;
  return {
    revision,
    name: meta.name,
    uid: meta.uid,
    createdAt: meta.createdAt,
    replicas: numberAt(recordAt(object, 'status'), 'replicas') ?? 0,
    ready: numberAt(recordAt(object, 'status'), 'readyReplicas') ?? 0,
    ...given('changeCause', meta.annotations[CHANGE_CAUSE_ANNOTATION]),
    specs: templateSpecs(object),
    template: templateWithoutHash(recordAt(object, 'spec', 'template')),
  };
}

/** A ControllerRevision of a StatefulSet or DaemonSet. How many pods it has is known from pods only, so both counts are 0 here. */
export function projectControllerRevision(object: Raw): RevisionFact | undefined {
  const revision = numberAt(object, 'revision');
  const template = withoutPatchDirective(recordAt(object, 'data', 'spec', 'template'));
  if (revision === undefined || Object.keys(template).length === 0) return undefined;
  const meta = projectMeta(object);
  return {
    revision,
    name: meta.name,
    uid: meta.uid,
    createdAt: meta.createdAt,
    replicas: 0,
    ready: 0,
    ...given('changeCause', meta.annotations[CHANGE_CAUSE_ANNOTATION]),
    specs: projectContainerSpecs(recordAt(template, 'spec')),
    template: templateWithoutHash(template),
  };
}

/** The revision is stored as a strategic merge patch; its directive is no field of a pod template. */
function withoutPatchDirective(template: Raw): Raw {
  return Object.fromEntries(Object.entries(template).filter(([key]) => key !== '$patch'));
}

/** The pod template without the label that the Deployment controller adds to tell its ReplicaSets apart. */
export function templateWithoutHash(template: Raw): Raw {
  const metadata = asRecord(template.metadata);
  const labels = Object.entries(asRecord(metadata.labels)).filter(([key]) => key !== HASH_LABEL);
  if (metadata.labels === undefined) return template;
  return { ...template, metadata: { ...metadata, labels: Object.fromEntries(labels) } };
}

function templateSpecs(object: Raw): readonly ContainerSpecFact[] {
  return projectContainerSpecs(recordAt(object, 'spec', 'template', 'spec'));
}

function revisionNumber(annotation: string | undefined): number | undefined {
  if (annotation === undefined || !/^\d{1,15}$/.test(annotation)) return undefined;
  return Number(annotation);
}
