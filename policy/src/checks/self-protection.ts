import { type Check, clear, violated } from '../check.ts';

/** Holds whatever the configuration says: a slip in a policy must not let the product cut the branch it sits on. */
const NEVER = ['kube-system', 'kube-public', 'kube-node-lease', 'hephaisto', 'hephaisto-obs'];

export const selfProtection: Check = ({ request, selfNamespaces }) => {
  const touched = [request.target.namespace, request.workload.namespace];
  const own = touched.find(
    (namespace) => namespace === '' || NEVER.includes(namespace) || selfNamespaces.includes(namespace),
  );
  return own === undefined
    ? clear('the namespace is neither the product’s nor the cluster’s own')
    : violated('self_protected', `namespace \`${own}\` is never acted on`, { namespace: own });
};
