import { renderServices } from '@hephaisto/core/evidence/tables/workloads';
import { factTool } from '../../tool.ts';
import { getServicesArgs } from './schema.ts';

export const getServices = factTool<'get_services'>({
  name: 'get_services',
  description:
    'Services of a namespace with how many ready endpoints each has: whether what a workload calls can answer at all.',
  schema: getServicesArgs,
  wouldHaveTold: 'whether what it calls has anybody to answer',
  namespaceOf: (args) => args.namespace,
  read: (reader, args) => reader.services(args.namespace),
  render: (services, args) => renderServices(args.namespace, services),
});
