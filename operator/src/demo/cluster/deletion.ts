import type { GroupVersionResource, KubeObject } from './object.ts';
import { kubeTime } from './object-meta.ts';
import type { RemoveOptions } from './store.ts';
import { PODS, typeKey } from './type-key.ts';

/** How an object leaves: at once, marked and waited for, or it is on its way already and nothing changes. */
export type Departure =
  /** `last`: how a pod is seen once more before it goes. */
  | { readonly kind: 'gone'; readonly last?: KubeObject }
  | { readonly kind: 'marked'; readonly object: KubeObject }
  | { readonly kind: 'leaving-already' };

const DEFAULT_GRACE_SECONDS = 30;

export function departureOf(gvr: GroupVersionResource, stored: KubeObject, how: RemoveOptions, now: Date): Departure {
  const grace = graceSeconds(gvr, stored, how);
  const { deletionTimestamp, finalizers } = stored.metadata;
  const running = stored.metadata.deletionGracePeriodSeconds;
  if (grace === 0 && !finalizers?.length) {
    if (typeKey(gvr) !== typeKey(PODS) || running === 0) return { kind: 'gone' };
    return { kind: 'gone', last: marked(stored, 0, now) };
  }
  // A second delete may shorten the wait, never lengthen it.
  if (deletionTimestamp !== undefined && !(typeof running === 'number' && grace < running)) {
    return { kind: 'leaving-already' };
  }
  return { kind: 'marked', object: marked(stored, grace, now) };
}

function marked(stored: KubeObject, grace: number, now: Date): KubeObject {
  const metadata = {
    ...stored.metadata,
    deletionTimestamp: kubeTime(new Date(now.getTime() + grace * 1000)),
    deletionGracePeriodSeconds: grace,
  };
  if (metadata.generation !== undefined) metadata.generation += 1;
  return { ...stored, metadata };
}

/** Only a pod on a node that has not ended has something to shut down. */
function graceSeconds(gvr: GroupVersionResource, stored: KubeObject, how: RemoveOptions): number {
  if (how.force || typeKey(gvr) !== typeKey(PODS)) return 0;
  const spec = stored.spec as { nodeName?: string; terminationGracePeriodSeconds?: number } | undefined;
  const phase = (stored.status as { phase?: string } | undefined)?.phase;
  if (!spec?.nodeName || phase === 'Succeeded' || phase === 'Failed') return 0;
  return Math.max(0, how.gracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS);
}

export function dependentsOf(owner: KubeObject, candidates: readonly KubeObject[]): readonly KubeObject[] {
  return candidates.filter((object) => object.metadata.ownerReferences?.some((ref) => ref.uid === owner.metadata.uid));
}

export function withoutOwner(dependent: KubeObject, owner: KubeObject): KubeObject {
  const { resourceVersion: _, ...metadata } = dependent.metadata;
  const kept = metadata.ownerReferences?.filter((reference) => reference.uid !== owner.metadata.uid) ?? [];
  return { ...dependent, metadata: { ...metadata, ownerReferences: kept } };
}
