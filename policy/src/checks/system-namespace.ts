import { type Check, clear, violated } from '../check.ts';
import { systemPatternOf } from '../namespaces.ts';

export const systemNamespace: Check = ({ request }) => {
  for (const namespace of [request.target.namespace, request.workload.namespace]) {
    const pattern = systemPatternOf(namespace);
    if (pattern !== undefined)
      return violated(
        'system_namespace',
        `namespace \`${namespace}\` usually runs the cluster’s own machinery (\`${pattern}\`), so a person decides`,
        { namespace, pattern },
      );
  }
  return clear('the namespace is none that usually runs the cluster’s own machinery');
};
