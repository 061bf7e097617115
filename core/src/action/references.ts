import type { ObjectRef } from '../facts/facts.ts';

/** `Deployment shop/checkout`, as sentences name objects. */
export function named(ref: ObjectRef): string {
  return `${ref.kind} ${ref.namespace}/${ref.name}`;
}

/** `deployment/checkout -n shop`, as commands do. */
export function kubectlRef(ref: ObjectRef): string {
  return `${ref.kind.toLowerCase()}/${ref.name} -n ${ref.namespace}`;
}

/** Evicts a pod by hand. `kubectl delete` would ignore its disruption budget, and kubectl has no verb for one eviction. */
export function evictionCommand({ namespace, name }: ObjectRef): string {
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
  return `kubectl create --raw /api/v1/namespaces/${namespace}/pods/${name}/eviction -f - <<< '${JSON.stringify(eviction)}'`;
}
