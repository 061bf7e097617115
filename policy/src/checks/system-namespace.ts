import { type Check, clear, violated } from '../check.ts';
import type { CheckResult } from '../gate.ts';
import { systemPatternOf } from '../namespaces.ts';

export const systemNamespace: Check = ({ request }) => {
  const { target, workload } = request;
  return (
    judged(target.namespace) ??
    (workload.namespace === target.namespace ? undefined : judged(workload.namespace)) ??
    CLEAR
  );
};

const CLEAR = clear('the namespace is none that usually runs the cluster’s own machinery');

function judged(namespace: string): CheckResult | undefined {
  const pattern = systemPatternOf(namespace);
  if (pattern === undefined) return undefined;
  const message = `namespace \`${namespace}\` usually runs the cluster’s own machinery (\`${pattern}\`), so a person decides`;
  return violated('system_namespace', message, { namespace, pattern });
}
