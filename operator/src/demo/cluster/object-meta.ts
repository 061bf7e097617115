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
  return {
    ...given,
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
  const meta: ObjectMeta = { ...given };
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

/** Being put on a node is no change of what a pod is to be. */
function specChanged(gvr: GroupVersionResource, stored: KubeObject, object: KubeObject): boolean {
  const wanted = ({ spec }: KubeObject) => (typeKey(gvr) === 'pods' ? { ...recordAt(spec), nodeName: '' } : spec);
  return !isDeepStrictEqual(wanted(stored), wanted(object));
}

function hasGeneration(gvr: GroupVersionResource, object: KubeObject): boolean {
  return object.spec !== undefined && !WITHOUT_GENERATION.has(typeKey(gvr));
}
