import type { ToolArgs } from '@hephaisto/core/diagnose/tools';
import { renderHistory } from '@hephaisto/core/evidence/tables/workloads';
import type { RevisionFact } from '@hephaisto/core/facts/facts';
import type { KubeRead, KubeReader } from '@hephaisto/core/ports/kube';
import { factTool } from '../../tool.ts';
import { getRolloutHistoryArgs } from './schema.ts';

export const getRolloutHistory = factTool<'get_rollout_history'>({
  name: 'get_rollout_history',
  description:
    'Revisions of a workload, newest first, with their pods, and every field of the pod template that changed between them, old and new value.',
  schema: getRolloutHistoryArgs,
  wouldHaveTold: 'whether the newest revision changed something, what, and when',
  namespaceOf: (args) => args.namespace,
  read: readHistory,
  render: (revisions, args) => renderHistory(`revisions of ${args.kind} ${args.namespace}/${args.name}`, revisions),
});

async function readHistory(
  reader: KubeReader,
  args: ToolArgs['get_rollout_history'],
): Promise<KubeRead<readonly RevisionFact[]>> {
  const workload = await reader.workload(args.kind, args.namespace, args.name);
  return workload.kind === 'failure' ? workload : reader.revisions(workload.value);
}
