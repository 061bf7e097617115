import type { KubeObject, OwnerReference } from '../../cluster/object.ts';

/** The reference that marks `owner` as the managing controller of whatever carries it. */
export function controllerReference(owner: KubeObject): OwnerReference {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

export function controlledBy(object: KubeObject, owner: KubeObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

/** `namespace/name`, or the bare name for cluster-wide objects. */
export function keyOf(object: KubeObject): string {
  return object.metadata.namespace === undefined
    ? object.metadata.name
    : `${object.metadata.namespace}/${object.metadata.name}`;
}

export function splitKey(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { namespace: '', name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** Oldest first, names breaking ties: timestamps are whole seconds, and objects made in one go must still have an order. */
export function byAge(left: KubeObject, right: KubeObject): number {
  const [a, b] = [left.metadata.creationTimestamp ?? '', right.metadata.creationTimestamp ?? ''];
  if (a !== b) return a < b ? -1 : 1;
  return left.metadata.name < right.metadata.name ? -1 : left.metadata.name > right.metadata.name ? 1 : 0;
}
