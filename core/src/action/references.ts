import type { ObjectRef } from '../facts/facts.ts';

/** `Deployment shop/checkout`, as sentences name objects. */
export function named(ref: ObjectRef): string {
  return `${ref.kind} ${ref.namespace}/${ref.name}`;
}

/** `deployment/checkout -n shop`, as commands do. */
export function kubectlRef(ref: ObjectRef): string {
  return `${ref.kind.toLowerCase()}/${ref.name} -n ${ref.namespace}`;
}
