import type { ToolArgs } from '@hephaisto/core/diagnose/tools';
import { renderPods } from '@hephaisto/core/evidence/tables/pods';
import type { PodFact } from '@hephaisto/core/facts/facts';
import type { KubeRead, KubeReader } from '@hephaisto/core/ports/kube';
import { factTool } from '../../tool.ts';
import { getPodsArgs } from './schema.ts';

export const getPods = factTool<'get_pods'>({
  name: 'get_pods',
  description:
    'Pods of one owner, or those with given labels: readiness, container states, last exits, restarts, images, requests and limits.',
  schema: getPodsArgs,
  wouldHaveTold: 'in which state the pods and their containers are, and how they last ended',
  namespaceOf: (args) => args.namespace,
  read: readPods,
  render: (pods, args) => renderPods(titleOf(args), pods),
});

async function readPods(reader: KubeReader, args: ToolArgs['get_pods']): Promise<KubeRead<readonly PodFact[]>> {
  const { namespace, kind, name, selector } = args;
  if (selector !== undefined) return reader.pods(namespace, selector);
  if (kind === undefined || name === undefined) {
    return { kind: 'failure', reason: 'invalid', message: 'expected an owner or labels, found neither' };
  }
  if (kind === 'Job') return reader.pods(namespace, { 'job-name': name });
  const workload = await reader.workload(kind, namespace, name);
  return workload.kind === 'failure' ? workload : reader.pods(namespace, workload.value.selector);
}

function titleOf(args: ToolArgs['get_pods']): string {
  if (args.kind !== undefined) return `pods of ${args.kind} ${args.namespace}/${args.name}`;
  const labels = Object.entries(args.selector ?? {}).map(([key, value]) => `${key}=${value}`);
  return `pods of ${args.namespace} with ${labels.join(' ')}`;
}
