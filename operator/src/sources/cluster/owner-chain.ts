import type { OwnerFact } from '@hephaisto/core/facts/facts';
import type { OwnerRef } from '@hephaisto/core/signal/observation';

/** A controller between pods and what people deploy. */
export interface MiddleOwner {
  readonly namespace: string;
  readonly uid: string;
  readonly name: string;
  readonly controller: OwnerFact | undefined;
}

export interface ChainedOwner {
  readonly owner: OwnerRef;
  readonly chain: readonly string[];
}

/** What the watch knows of ReplicaSets and Jobs, by uid. */
export type MiddleOwners = (uid: string) => MiddleOwner | undefined;

/**
 * From an object up to its top controller. A ReplicaSet or Job that the watch has not seen yet is passed by its name, which its controller
 * builds from its own: the same answer as later from the object, so the fault does not change its name.
 */
export function chainOf(
  object: { readonly kind: string; readonly name: string; readonly templateHash?: string | undefined },
  controller: OwnerFact | undefined,
  middle: MiddleOwners,
): ChainedOwner {
  const self = `${object.kind}/${object.name}`;
  if (controller === undefined) return { owner: { kind: object.kind, name: object.name }, chain: [self] };
  const known = middle(controller.uid);
  const above = known === undefined ? aboveByName(controller, object.templateHash) : known.controller;
  const chain = [self, `${controller.kind}/${controller.name}`];
  if (above === undefined) return { owner: { kind: controller.kind, name: controller.name }, chain };
  return { owner: { kind: above.kind, name: above.name }, chain: [...chain, `${above.kind}/${above.name}`] };
}

function aboveByName(
  controller: OwnerFact,
  templateHash: string | undefined,
): { readonly kind: string; readonly name: string } | undefined {
  if (controller.kind === 'ReplicaSet' && templateHash !== undefined && controller.name.endsWith(`-${templateHash}`)) {
    return { kind: 'Deployment', name: controller.name.slice(0, -templateHash.length - 1) };
  }
  const scheduled = controller.kind === 'Job' ? /^(.+)-\d{8,10}$/.exec(controller.name)?.[1] : undefined;
  return scheduled === undefined ? undefined : { kind: 'CronJob', name: scheduled };
}
