import { renderWorkload } from '@hephaisto/core/evidence/tables/workloads';
import { factTool } from '../../tool.ts';
import { listWorkloadsArgs } from './schema.ts';

export const listWorkloads = factTool<'list_workloads'>({
  name: 'list_workloads',
  description:
    'All controllers of one kind in a namespace with wanted and ready replicas: what else is sick beside the one in question.',
  schema: listWorkloadsArgs,
  wouldHaveTold: 'which other workloads of the namespace are sick',
  namespaceOf: (args) => args.namespace,
  read: (reader, args) => reader.workloads(args.kind, args.namespace),
  render: (workloads, args) =>
    [
      `${args.kind}s of ${args.namespace}: ${workloads.length}`,
      ...workloads.map((workload) => renderWorkload(workload).split('\n')[0]),
    ].join('\n'),
});
