import type { GroupVersionResource } from './object.ts';

/** `deployments.apps`, or `pods` in the core group: the name under which a type is stored and spoken of in messages. */
export function typeKey(gvr: { readonly group: string; readonly resource: string }): string {
  return gvr.group === '' ? gvr.resource : `${gvr.resource}.${gvr.group}`;
}

export const PODS: GroupVersionResource = { group: '', version: 'v1', resource: 'pods' };
export const NAMESPACES: GroupVersionResource = { group: '', version: 'v1', resource: 'namespaces' };
