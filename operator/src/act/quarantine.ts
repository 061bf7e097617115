import { formatDuration } from '@hephaisto/core/config/duration';
import type { Sql } from '@hephaisto/core/ports/database';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import type { PolicyFile } from '@hephaisto/policy/policy-file';
import { appendAudit } from '../flow/incident-log/audit.ts';
import type { ActionRow } from './action-row.ts';

/** Holds the workload's row, which is what every admission for it waits for; makes it where it does not exist. */
export async function lockWorkload(tx: Sql, action: ActionRow): Promise<void> {
  const { workload } = action.request ?? { workload: undefined };
  if (workload === undefined) return;
  const key = [action.cluster, workload.namespace, workload.kind, workload.name];
  await tx.execute(
    'INSERT INTO workloads (cluster, namespace, kind, name) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
    key,
  );
  await tx.query('SELECT 1 FROM workloads WHERE (cluster, namespace, kind, name) = ($1, $2, $3, $4) FOR UPDATE', key);
}

/**
 * Puts the workload into quarantine when the same kind of action was carried out so often in so short a time and its incident came back
 * each time. Counted over all incidents of the workload, since each recurrence is a new one. The workload's row is held by the caller.
 */
export async function quarantineOscillating(
  tx: Sql,
  action: ActionRow,
  rule: PolicyFile['oscillation'],
): Promise<boolean> {
  if (action.request === undefined) return false;
  const { workload } = action.request;
  const key = [action.cluster, workload.namespace, workload.kind, workload.name];
  const [history] = await tx.query<{ times: number; quarantined: boolean }>(
    `SELECT count(*)::int AS times,
       (SELECT coalesce(w.quarantined_until > app_now(), false) FROM workloads w
         WHERE (w.cluster, w.namespace, w.kind, w.name) = ($1, $2, $3, $4)) AS quarantined
     FROM actions a WHERE (a.cluster, a.workload_namespace, a.workload_kind, a.workload_name) = ($1, $2, $3, $4)
       AND a.type = $5 AND a.executed_at > app_now() - $6 * interval '1 millisecond'
       AND EXISTS (SELECT 1 FROM incidents r WHERE r.recurrence_of = a.incident_id)`,
    [...key, action.type, rule.within],
  );
  if (history === undefined || history.quarantined || history.times < rule.times) return false;
  const reason = `${action.type} was carried out ${history.times} times within ${formatDuration(rule.within)} and the fault came back each time`;
  await tx.execute(
    `UPDATE workloads SET quarantined_until = app_now() + $5 * interval '1 millisecond', quarantine_action_type = $6, quarantine_reason = $7
     WHERE (cluster, namespace, kind, name) = ($1, $2, $3, $4)`,
    [...key, rule.quarantine, action.type, reason],
  );
  await appendAudit(tx, {
    actor: SERVICE_PRINCIPALS.policy,
    origin: 'core',
    verb: 'workload.quarantine',
    subjectKind: 'workload',
    subjectId: `${workload.kind}/${workload.namespace}/${workload.name}`,
    cluster: action.cluster,
    namespace: workload.namespace,
    workloadKind: workload.kind,
    workloadName: workload.name,
    detail: { actionType: action.type, times: history.times },
  });
  return true;
}
