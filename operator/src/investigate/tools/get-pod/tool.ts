import { renderPods } from '@hephaisto/core/evidence/tables/pods';
import { factTool } from '../../tool.ts';
import { getPodArgs } from './schema.ts';

export const getPod = factTool<'get_pod'>({
  name: 'get_pod',
  description: 'One pod with the states of its containers.',
  schema: getPodArgs,
  wouldHaveTold: 'in which state the pod and its containers are, and how they last ended',
  namespaceOf: (args) => args.namespace,
  read: (reader, args) => reader.pod(args.namespace, args.name),
  render: (pod) => renderPods(`pod ${pod.namespace}/${pod.name}`, [pod]),
});
