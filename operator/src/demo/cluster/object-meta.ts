import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { recordAt } from './json-at.ts';
import type { GroupVersionResource, KubeObject, ObjectMeta } from './object.ts';
import { typeKey } from './type-key.ts';

/** Types that have a spec and yet no generation. */
const WITHOUT_GENERATION = new Set([
  'namespaces',
  'nodes',
  'services',
  'persistentvolumeclaims',
  'resourcequotas',
  'limitranges',
  'leases.coordination.k8s.io',
]);

const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** Seconds, UTC, no fraction: the precision of `metav1.Time`. */
export function kubeTime(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** The five characters behind a generateName, drawn from the id, so that a seeded run names its pods the same each time. */
export function nameSuffix(id: string): string {
  const digest = createHash('sha256').update(id).digest();
  return [...digest.subarray(0, 5)].map((byte) => SUFFIX_ALPHABET[byte % SUFFIX_ALPHABET.length]).join('');
}

export function metaForCreate(gvr: GroupVersionResource, object: KubeObject, uid: string, now: Date): ObjectMeta {
  const { name, generateName } = object.metadata;
  const generation = hasGeneration(gvr, object) ? { generation: 1 } : {};
  const { deletionTimestamp: _t, deletionGracePeriodSeconds: _g, managedFields: _m, ...given } = object.metadata;
  const counted = typeKey(gvr) === DAEMON_SETS ? withTemplateCount(given, 1) : given;
  return {
    ...withoutEmpty(counted),
    name: name || `${generateName ?? ''}${nameSuffix(uid)}`,
    uid,
    creationTimestamp: kubeTime(now),
    ...generation,
  };
}

/** The server's fields stay as they are stored; the generation moves with everything but metadata and status. */
export function metaForUpdate(gvr: GroupVersionResource, stored: KubeObject, object: KubeObject): ObjectMeta {
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation } = stored.metadata;
  const {
    deletionTimestamp: _t,
    deletionGracePeriodSeconds: _g,
    generation: _n,
    managedFields: _m,
    ...given
  } = object.metadata;
  const meta: ObjectMeta = withoutEmpty(typeKey(gvr) === DAEMON_SETS ? countedTemplates(stored, object, given) : given);
  if (uid !== undefined) meta.uid = uid;
  if (creationTimestamp !== undefined) meta.creationTimestamp = creationTimestamp;
  if (deletionTimestamp !== undefined) meta.deletionTimestamp = deletionTimestamp;
  if (deletionGracePeriodSeconds !== undefined) meta.deletionGracePeriodSeconds = deletionGracePeriodSeconds;
  if (generation !== undefined) meta.generation = specChanged(gvr, stored, object) ? generation + 1 : generation;
  else if (hasGeneration(gvr, object)) meta.generation = 1;
  return meta;
}

/** Equal in everything but the resourceVersion. */
export function sameContent(one: KubeObject, other: KubeObject): boolean {
  return isDeepStrictEqual(withoutRevision(one), withoutRevision(other));
}

function withoutRevision(object: KubeObject): unknown {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** A Deployment's annotations may be written along with its status, as its controller does with the revision. */
export function metaForStatus(gvr: GroupVersionResource, stored: KubeObject, object: KubeObject): ObjectMeta {
  if (typeKey(gvr) !== DEPLOYMENTS || object.metadata.annotations === undefined) return stored.metadata;
  return { ...stored.metadata, annotations: object.metadata.annotations };
}

const DEPLOYMENTS = 'deployments.apps';
const DAEMON_SETS = 'daemonsets.apps';
const TEMPLATE_COUNT = 'deprecated.daemonset.template.generation';

/** A DaemonSet counts its templates in an annotation. */
function withTemplateCount(metadata: ObjectMeta, count: number): ObjectMeta {
  return { ...metadata, annotations: { ...metadata.annotations, [TEMPLATE_COUNT]: String(count) } };
}

function countedTemplates(stored: KubeObject, object: KubeObject, metadata: ObjectMeta): ObjectMeta {
  const before = Number(stored.metadata.annotations?.[TEMPLATE_COUNT] ?? 1);
  const same = isDeepStrictEqual(recordAt(stored.spec, 'template'), recordAt(object.spec, 'template'));
  return withTemplateCount(metadata, same ? before : before + 1);
}

const ENDPOINT_SLICES = 'endpointslices.discovery.k8s.io';

function specChanged(gvr: GroupVersionResource, stored: KubeObject, object: KubeObject): boolean {
  const wanted = WANTED[typeKey(gvr)] ?? (({ spec }: KubeObject) => spec);
  return !isDeepStrictEqual(wanted(stored), wanted(object));
}

/** What counts as asked for, where that is not the spec alone. */
const WANTED: Readonly<Record<string, (object: KubeObject) => unknown>> = {
  // Being put on a node is no change of what a pod is to be.
  pods: ({ spec }) => ({ ...recordAt(spec), nodeName: '' }),
  [DEPLOYMENTS]: ({ spec, metadata }) => [spec, metadata.annotations ?? {}],
  [ENDPOINT_SLICES]: ({ endpoints, ports }) => [endpoints, ports],
};

function hasGeneration(gvr: GroupVersionResource, object: KubeObject): boolean {
  const key = typeKey(gvr);
  return key === ENDPOINT_SLICES || (object.spec !== undefined && !WITHOUT_GENERATION.has(key));
}

const COLLECTIONS = ['labels', 'annotations', 'ownerReferences', 'finalizers'];

/** What is empty is not written. */
function withoutEmpty(metadata: ObjectMeta): ObjectMeta {
  const kept = Object.entries(metadata).filter(
    ([key, value]) => !COLLECTIONS.includes(key) || Object.keys((value ?? {}) as object).length > 0,
  );
  return Object.fromEntries(kept) as unknown as ObjectMeta;
}
