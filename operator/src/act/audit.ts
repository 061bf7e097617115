import type { Sql } from '@hephaisto/core/ports/database';
import type { EventOrigin } from '@hephaisto/core/ports/incident-log';
import { appendAudit } from '../flow/incident-log/audit.ts';
import type { ActionRow } from './action-row.ts';

/** One line of the audit about an action, with its workload, in the transaction that does what it says. */
export async function auditAction(
  tx: Sql,
  action: ActionRow,
  verb: string,
  who: { readonly actor: string; readonly origin: EventOrigin },
  detail: Readonly<Record<string, unknown>>,
): Promise<void> {
  const workload = action.request?.workload;
  await appendAudit(tx, {
    ...who,
    verb,
    subjectKind: 'action',
    subjectId: action.id,
    cluster: action.cluster,
    ...(workload === undefined
      ? {}
      : { namespace: workload.namespace, workloadKind: workload.kind, workloadName: workload.name }),
    detail: { ...detail, type: action.type, incident: action.incidentId },
  });
}
