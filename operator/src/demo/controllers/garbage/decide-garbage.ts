import type { KubeObject, OwnerReference } from '../../cluster/object.ts';

/** What becomes of an object whose owners may be gone. */
export type GarbageDecision =
  | { readonly kind: 'keep'; readonly reason: 'unowned' | 'owned' }
  | { readonly kind: 'drop-references'; readonly reason: 'some-owners-gone'; readonly kept: readonly OwnerReference[] }
  | { readonly kind: 'remove'; readonly reason: 'all-owners-gone' };

/** An object goes when none of its owners is left; references to owners that are gone beside one that is not are cut. */
export function decideGarbage(object: KubeObject, exists: (owner: OwnerReference) => boolean): GarbageDecision {
  const owners = object.metadata.ownerReferences ?? [];
  if (owners.length === 0) return { kind: 'keep', reason: 'unowned' };
  const kept = owners.filter(exists);
  if (kept.length === owners.length) return { kind: 'keep', reason: 'owned' };
  if (kept.length > 0) return { kind: 'drop-references', reason: 'some-owners-gone', kept };
  return { kind: 'remove', reason: 'all-owners-gone' };
}
