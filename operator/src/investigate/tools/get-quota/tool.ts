import { factTool } from '../../tool.ts';
import { getQuotaArgs } from './schema.ts';

export const getQuota = factTool<'get_quota'>({
  name: 'get_quota',
  description: 'Quotas of a namespace with what is used of them, and the limits that its containers get by default.',
  schema: getQuotaArgs,
  wouldHaveTold: 'whether a quota or a default limit stands in the way of pods',
  namespaceOf: (args) => args.namespace,
  read: (reader, args) => reader.quotas(args.namespace),
  render: (quotas, args) =>
    [
      `quotas and limits of ${args.namespace}: ${quotas.length}`,
      ...quotas.flatMap(({ kind, name, entries }) =>
        entries.map(
          ({ what, used, limit }) => `${kind} ${name}: ${what} ${used === undefined ? '' : `${used} of `}${limit}`,
        ),
      ),
    ].join('\n'),
});
