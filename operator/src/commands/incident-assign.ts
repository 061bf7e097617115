import { appendAudit } from '../flow/incident-log/audit.ts';
import type { CommandAuthor, CommandDeps, CommandRefused } from './command.ts';
import { incidentNotFound, lockForCommand } from './incident-row.ts';

export interface AssignIncident extends CommandAuthor {
  readonly incidentId: string;
  /** Subject of a person; undefined takes the assignment away. */
  readonly assignee: string | undefined;
  /** Version of the incident that the caller has seen. Absent: whatever it is. */
  readonly expectedVersion?: number;
}

export type AssignResult =
  | { readonly kind: 'done'; readonly eventId: number; readonly version: number }
  | CommandRefused<'incident-not-found' | 'assignee-unknown' | 'already-assigned' | 'version-conflict'>;

/** Says whose it is. */
export async function assignIncident(deps: CommandDeps, command: AssignIncident): Promise<AssignResult> {
  const result = await deps.db.transaction(async (tx): Promise<AssignResult> => {
    const incident = await lockForCommand(tx, command.incidentId);
    if (incident === undefined) return incidentNotFound(command.incidentId);
    if (command.expectedVersion !== undefined && command.expectedVersion !== incident.version) {
      const message = `expected version ${command.expectedVersion}, found ${incident.version}; read the incident again`;
      return { kind: 'refused', reason: 'version-conflict', message, details: { version: incident.version } };
    }
    const assignee = command.assignee ?? null;
    if (incident.assigned_to === assignee) {
      const message = `expected a change, found it assigned to ${assignee ?? 'nobody'} already`;
      return { kind: 'refused', reason: 'already-assigned', message };
    }
    if (assignee !== null) {
      const known = await tx.query(`SELECT 1 FROM principals WHERE subject = $1 AND kind = 'person'`, [assignee]);
      if (known.length === 0) {
        const message = `expected the subject of a person, found \`${assignee}\`; see the list of principals`;
        return { kind: 'refused', reason: 'assignee-unknown', message };
      }
    }
    const { actor, origin } = command;
    const event = await deps.incidents.note(tx, {
      incidentId: incident.id,
      kind: 'assign',
      reason: assignee === null ? 'unassigned' : 'assigned',
      data: { assignee, before: incident.assigned_to },
      actor,
      origin,
    });
    await tx.execute('UPDATE incidents SET assigned_to = $2 WHERE id = $1', [incident.id, assignee]);
    await appendAudit(tx, {
      actor,
      origin,
      verb: 'incident.assign',
      subjectKind: 'incident',
      subjectId: incident.id,
      cluster: incident.cluster,
      detail: { assignee },
    });
    return { kind: 'done', eventId: event.eventId, version: event.seq };
  });
  await deps.faults.hit('command:incident-assign');
  return result;
}
