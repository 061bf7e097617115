import { isDeepStrictEqual } from 'node:util';
import { canonical } from '../shape/names.ts';
import { byAge } from '../shape/ownership.ts';
import type { Deployment, PodTemplate, ReplicaSet } from '../shape/workloads.ts';

export const REVISION = 'deployment.kubernetes.io/revision';
export const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';
export const TEMPLATE_HASH_LABEL = 'pod-template-hash';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const LONGEST_HISTORY = 2_000;
/** What a Deployment says about itself, not about its pods. */
const NOT_INHERITED = new Set([
  LAST_APPLIED,
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  'deprecated.deployment.rollback.to',
]);

type Annotations = Readonly<Record<string, string>>;

export function revisionOf(replicaSet: ReplicaSet): number {
  const revision = Number(replicaSet.metadata.annotations?.[REVISION] ?? '0');
  return Number.isInteger(revision) ? revision : 0;
}

export function highestRevision(replicaSets: readonly ReplicaSet[]): number {
  return replicaSets.reduce((highest, replicaSet) => Math.max(highest, revisionOf(replicaSet)), 0);
}

/** Whether two templates ask for the same pods; the hash label, which only the controller adds, does not count. */
export function sameTemplate(left: PodTemplate, right: PodTemplate): boolean {
  return canonical(withoutHash(left)) === canonical(withoutHash(right));
}

function withoutHash(template: PodTemplate): unknown {
  const { [TEMPLATE_HASH_LABEL]: _, ...labels } = template.metadata?.labels ?? {};
  const { labels: __, ...metadata } = template.metadata ?? {};
  return { ...template, metadata: { ...metadata, labels } };
}

/** The oldest ReplicaSet with the Deployment's own template, whatever revision it once was: a rollback finds it again. */
export function findNewReplicaSet(deployment: Deployment, owned: readonly ReplicaSet[]): ReplicaSet | undefined {
  return [...owned].sort(byAge).find((replicaSet) => sameTemplate(replicaSet.spec.template, deployment.spec.template));
}

/**
 * The annotations of the current ReplicaSet: the Deployment's own, copied, and the revision, which only ever rises. A ReplicaSet
 * that becomes current again keeps the revisions it had in its history.
 */
export function inheritedAnnotations(deployment: Deployment, current: Annotations, revision: number): Annotations {
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !NOT_INHERITED.has(key));
  const merged: Record<string, string> = { ...current, ...Object.fromEntries(copied) };
  const before = current[REVISION];
  if (Number(before ?? '0') >= revision) return merged;
  merged[REVISION] = String(revision);
  if (before !== undefined) {
    const history = withEarlier(current[REVISION_HISTORY], before);
    if (history !== undefined) merged[REVISION_HISTORY] = history;
  }
  return merged;
}

function withEarlier(history: string | undefined, revision: string): string | undefined {
  const revisions = history === undefined || history === '' ? [revision] : [...history.split(','), revision];
  while (revisions.length > 1 && revisions.join(',').length > LONGEST_HISTORY) revisions.shift();
  return revisions.join(',');
}

/** How many pods the Deployment wants, and may have at most, as its ReplicaSets remember it to tell scaling from rolling out. */
export function sizeAnnotations(replicas: number, surge: number): Annotations {
  return { [DESIRED_REPLICAS]: String(replicas), [MAX_REPLICAS]: String(replicas + surge) };
}

export function sameAnnotations(left: Annotations | undefined, right: Annotations): boolean {
  return isDeepStrictEqual({ ...left }, { ...right });
}

/** An annotation that holds a count, or nothing where it holds anything else. */
export function countAnnotation(replicaSet: ReplicaSet, key: string): number | undefined {
  const text = replicaSet.metadata.annotations?.[key];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}
