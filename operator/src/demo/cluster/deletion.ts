import type { GroupVersionResource, KubeObject } from './object.ts';
import { kubeTime } from './object-meta.ts';
import type { RemoveOptions } from './store.ts';
import { PODS, typeKey } from './type-key.ts';

/** How an object leaves: at once, marked and waited for, or it is on its way already and nothing changes. */
export type Departure =
  | { readonly kind: 'gone' }
  | { readonly kind: 'marked'; readonly object: KubeObject }
  | { readonly kind: 'leaving-already' };

const DEFAULT_GRACE_SECONDS = 30;

export function departureOf(gvr: GroupVersionResource, stored: KubeObject, how: RemoveOptions, now: Date): Departure {
  const grace = graceSeconds(gvr, stored, how);
  const { deletionTimestamp, finalizers } = stored.metadata;
  if (grace === 0 && !finalizers?.length) return { kind: 'gone' };
  const running = stored.metadata.deletionGracePeriodSeconds;
  // A second delete may shorten the wait, never lengthen it.
  if (deletionTimestamp !== undefined && !(typeof running === 'number' && grace < running)) {
    return { kind: 'leaving-already' };
  }
  const metadata = {
    ...stored.metadata,
    deletionTimestamp: kubeTime(new Date(now.getTime() + grace * 1000)),
    deletionGracePeriodSeconds: grace,
  };
  if (metadata.generation !== undefined) metadata.generation += 1;
  return { kind: 'marked', object: { ...stored, metadata } };
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
