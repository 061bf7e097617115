import { z } from 'zod';

const MAX_NAMESPACE_LENGTH = 63;

/** The name of a namespace, or a prefix followed by `*`. */
export const namespacePattern = z
  .string()
  .max(64)
  .regex(
    /^(?:[a-z0-9]([a-z0-9-]*[a-z0-9])?|[a-z0-9][a-z0-9-]*\*)$/,
    'expected a namespace such as `shop` or a prefix such as `shop-*`',
  )
  .refine((text) => text.endsWith('*') || text.length <= MAX_NAMESPACE_LENGTH, {
    error: `expected a namespace of at most ${MAX_NAMESPACE_LENGTH} characters`,
  });

export function matchesNamespace(pattern: string, namespace: string): boolean {
  return pattern.endsWith('*') ? namespace.startsWith(pattern.slice(0, -1)) : pattern === namespace;
}

/** Whether every namespace that the second pattern matches is matched by the first, too. */
export function coversPattern(wide: string, narrow: string): boolean {
  if (!wide.endsWith('*')) return wide === narrow;
  const prefix = wide.slice(0, -1);
  return (narrow.endsWith('*') ? narrow.slice(0, -1) : narrow).startsWith(prefix);
}

/** Protected whatever the configuration says: a slip in a policy must not let the product cut the branch it sits on. */
const ALWAYS_PROTECTED = ['kube-system', 'kube-public', 'kube-node-lease', 'hephaisto', 'hephaisto-obs'];

/** Whether nothing is ever changed in a namespace. The namespace '' is that of objects that have none. */
export function isProtectedNamespace(namespace: string, selfNamespaces: readonly string[]): boolean {
  return namespace === '' || ALWAYS_PROTECTED.includes(namespace) || selfNamespaces.includes(namespace);
}

/**
 * Namespaces in which the machinery of a cluster usually runs: distributions, networks, certificates, ingress, storage, delivery, policy. A rule may name
 * them, but a person decides each action there. A suffix stands for the convention of operators, whose namespaces end in `-system`.
 */
export const SYSTEM_NAMESPACES: readonly string[] = [
  'kube-*',
  '*-system',
  'openshift',
  'openshift-*',
  'gke-*',
  'gmp-*',
  'aks-*',
  'azure-*',
  'amazon-*',
  'aws-*',
  'eks-*',
  'tanzu-*',
  'vmware-*',
  'cattle-*',
  'fleet-*',
  'istio-*',
  'linkerd*',
  'cilium*',
  'calico-*',
  'tigera-*',
  'knative-*',
  'tekton-*',
  'cert-manager*',
  'ingress-*',
  'traefik*',
  'external-dns*',
  'external-secrets*',
  'sealed-secrets*',
  'vault*',
  'argocd*',
  'argo-*',
  'flux*',
  'gatekeeper-*',
  'kyverno*',
  'olm',
  'operators',
  'rook-*',
  'longhorn-*',
  'local-path-*',
  'node-feature-discovery*',
  'gpu-operator*',
  'keda',
  'velero',
];

/** One expression of all patterns: each decision asks it, and forty comparisons would be most of what a decision costs. */
// linear: an alternation of names, each with at most one open part
const SYSTEM_NAMESPACE = new RegExp(
  `^(?:${SYSTEM_NAMESPACES.map((pattern) => `(${pattern.replaceAll('*', '.*')})`).join('|')})$`,
);

/** The first of the usual system namespaces that a namespace matches. */
export function systemPatternOf(namespace: string): string | undefined {
  const groups = SYSTEM_NAMESPACE.exec(namespace);
  return groups === null ? undefined : SYSTEM_NAMESPACES.find((_, index) => groups[index + 1] !== undefined);
}
