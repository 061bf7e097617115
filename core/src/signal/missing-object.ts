import type { OwnerRef } from './observation.ts';

/** The sentence before an alert's own message where the cluster said that the object of the alert does not exist. */
export function missingObjectText(object: OwnerRef | undefined, namespace: string | undefined): string {
  return `${object?.kind ?? 'object'} ${object?.name ?? ''} does not exist in namespace ${namespace ?? ''}. `;
}
