import { renderJob } from '@hephaisto/core/evidence/tables/workloads';
import { factTool } from '../../tool.ts';
import { getJobArgs } from './schema.ts';

export const getJob = factTool<'get_job'>({
  name: 'get_job',
  description: 'One Job: active, succeeded and failed pods, back-off limit, conditions, owner.',
  schema: getJobArgs,
  wouldHaveTold: 'whether the job gave up, hangs or goes on',
  namespaceOf: (args) => args.namespace,
  read: (reader, args) => reader.job(args.namespace, args.name),
  render: renderJob,
});
