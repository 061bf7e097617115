import { configReferences } from '@hephaisto/core/facts/config-references';
import { mapKubeRead } from '../../map-read.ts';
import { factTool } from '../../tool.ts';
import { getConfigReferencesArgs } from './schema.ts';

export const getConfigReferences = factTool<'get_config_references'>({
  name: 'get_config_references',
  description:
    'Names and keys of the Secrets and ConfigMaps that a workload uses. Never a value: Secrets are not read.',
  schema: getConfigReferencesArgs,
  wouldHaveTold: 'which Secrets and ConfigMaps the workload depends on',
  namespaceOf: (args) => args.namespace,
  read: async (reader, args) =>
    mapKubeRead(await reader.workload(args.kind, args.namespace, args.name), (workload) => configReferences(workload)),
  render: (references, args) =>
    [
      `configuration of ${args.kind} ${args.namespace}/${args.name}: ${references.length} references`,
      ...references.map(
        ({ container, kind, name, key, usedAs, optional }) =>
          `${kind} ${name}${key === undefined ? '' : `, key ${key}`}, used as ${usedAs}${container === undefined ? '' : ` by container ${container}`}${optional ? ', optional' : ''}`,
      ),
    ].join('\n'),
});
