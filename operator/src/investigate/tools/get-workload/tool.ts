import { renderWorkload } from '@hephaisto/core/evidence/tables/workloads';
import { factTool } from '../../tool.ts';
import { getWorkloadArgs } from './schema.ts';

export const getWorkload = factTool<'get_workload'>({
  name: 'get_workload',
  description:
    'One Deployment, StatefulSet, DaemonSet or ReplicaSet: wanted and ready replicas, generation, revision, owners and conditions. Ask first.',
  schema: getWorkloadArgs,
  wouldHaveTold: 'how many replicas are wanted and ready, and what the controller says of its rollout',
  namespaceOf: (args) => args.namespace,
  read: (reader, args) => reader.workload(args.kind, args.namespace, args.name),
  render: renderWorkload,
});
