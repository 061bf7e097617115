import { randomUUID } from 'node:crypto';
import type { Database } from '@hephaisto/core/ports/database';
import type { IncidentLog } from '@hephaisto/core/ports/incident-log';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import type { ExpectedIncident } from '../stories/expected.ts';

export const EVAL_CLUSTER = 'evaluation';

/** Opens an incident of a story's workload and leaves it to be investigated. Each is one of its own, however often the same is asked. */
export async function openForEval(
  db: Database,
  log: IncidentLog,
  expected: ExpectedIncident,
  namespace: string,
  at: Date,
): Promise<string> {
  const id = randomUUID();
  const { kind, name } = expected.workload;
  const by = { actor: SERVICE_PRINCIPALS.triage, origin: 'core' } as const;
  await db.execute(
    `INSERT INTO clusters (id, is_local, display_name) VALUES ($1, true, 'evaluation') ON CONFLICT DO NOTHING`,
    [EVAL_CLUSTER],
  );
  await db.transaction(async (tx) => {
    await log.open(tx, {
      id,
      cluster: EVAL_CLUSTER,
      fingerprint: id.replaceAll('-', '').padEnd(64, '0'),
      correlationKey: undefined,
      kind: 'CrashLoopBackOff',
      title: `${name} is not healthy`,
      severity: 'critical',
      namespace,
      owner: { kind, name },
      ownerChain: [`${kind}/${name}`],
      nodeName: undefined,
      isSelf: false,
      isMeta: false,
      recurrenceOf: undefined,
      firstSignalAt: at,
      lastSignalAt: at,
      reason: 'evaluation',
      ...by,
    });
    for (const edge of ['I2', 'I5'] as const)
      await log.transition(tx, { incidentId: id, edge, reason: 'evaluation', ...by });
  });
  return id;
}
