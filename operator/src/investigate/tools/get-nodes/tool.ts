import { renderNodes } from '@hephaisto/core/evidence/tables/workloads';
import { factTool } from '../../tool.ts';
import { getNodesArgs } from './schema.ts';

export const getNodes = factTool<'get_nodes'>({
  name: 'get_nodes',
  description:
    'All nodes: readiness, pressure, taints, cordons, and how much cpu and memory each can give. For pods that find no node.',
  schema: getNodesArgs,
  wouldHaveTold: 'whether any node could take the pod, and whether a node is in trouble',
  namespaceOf: () => undefined,
  read: (reader) => reader.nodes(),
  render: renderNodes,
});
