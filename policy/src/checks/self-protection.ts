import { type Check, clear, violated } from '../check.ts';
import { isProtectedNamespace } from '../namespaces.ts';

export const selfProtection: Check = ({ request, selfNamespaces }) => {
  const touched = [request.target.namespace, request.workload.namespace];
  const own = touched.find((namespace) => isProtectedNamespace(namespace, selfNamespaces));
  return own === undefined
    ? clear('the namespace is neither the product’s nor the cluster’s own')
    : violated('self_protected', `namespace \`${own}\` is never acted on`, { namespace: own });
};
