import type { ChangeFact } from '@hephaisto/core/diagnose/tools';
import { instant, oneLine } from '@hephaisto/core/evidence/tables/text';
import { changeLine, diffTemplates } from '@hephaisto/core/facts/template-diff';
import type { KubeRead, KubeReader } from '@hephaisto/core/ports/kube';
import { factTool } from '../../tool.ts';
import { getRecentChangesArgs } from './schema.ts';

/** Workloads whose revisions are read, those with the fewest ready pods first. */
const MOST_WORKLOADS = 20;
const MOST_CHANGES = 12;
const MOST_FIELDS = 6;

export const getRecentChanges = factTool<'get_recent_changes'>({
  name: 'get_recent_changes',
  description:
    'The latest rollouts of all workloads of a namespace, newest first, with the fields that changed. For a fault whose cause is a change elsewhere.',
  schema: getRecentChangesArgs,
  wouldHaveTold: 'what else changed in the namespace before the fault',
  namespaceOf: (args) => args.namespace,
  read: (reader, args) => readChanges(reader, args.namespace),
  render: (changes, args) =>
    [
      `latest rollouts in ${args.namespace}: ${changes.length}`,
      ...changes.flatMap(({ workload, revision, at, fields }) => [
        `${workload} revision ${revision} since ${instant(at)}`,
        ...fields.map((field) => `  ${oneLine(changeLine(field), 300)}`),
      ]),
    ].join('\n'),
});

async function readChanges(reader: KubeReader, namespace: string): Promise<KubeRead<readonly ChangeFact[]>> {
  const read = await Promise.all(['Deployment', 'StatefulSet'].map((kind) => reader.workloads(kind, namespace)));
  const failure = read.find((answer) => answer.kind === 'failure');
  if (failure?.kind === 'failure') return failure;
  const workloads = read
    .flatMap((answer) => (answer.kind === 'ok' ? answer.value : []))
    .sort((a, b) => a.status.ready - a.replicas - (b.status.ready - b.replicas))
    .slice(0, MOST_WORKLOADS);
  const changes: ChangeFact[] = [];
  for (const workload of workloads) {
    const revisions = await reader.revisions(workload);
    if (revisions.kind === 'failure') return revisions;
    const [newest, before] = revisions.value;
    if (newest === undefined || before === undefined) continue;
    changes.push({
      workload: `${workload.kind} ${workload.name}`,
      revision: newest.revision,
      at: newest.createdAt,
      fields: diffTemplates(before.template, newest.template).slice(0, MOST_FIELDS),
    });
  }
  return { kind: 'ok', value: changes.sort((a, b) => b.at.getTime() - a.at.getTime()).slice(0, MOST_CHANGES) };
}
