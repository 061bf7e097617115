import { appendAudit } from '../flow/incident-log/audit.ts';
import type { CommandAuthor, CommandDeps, CommandRefused } from './command.ts';
import { incidentNotFound, lockForCommand } from './incident-row.ts';

export interface AckIncident extends CommandAuthor {
  readonly incidentId: string;
}

export type AckResult =
  | { readonly kind: 'done'; readonly eventId: number; readonly version: number }
  | CommandRefused<'incident-not-found' | 'already-acknowledged'>;

/** Somebody says that they have seen it. The first one counts; others are told who was first. */
export async function ackIncident(deps: CommandDeps, command: AckIncident): Promise<AckResult> {
  const result = await deps.db.transaction(async (tx): Promise<AckResult> => {
    const incident = await lockForCommand(tx, command.incidentId);
    if (incident === undefined) return incidentNotFound(command.incidentId);
    if (incident.acknowledged_by !== null) {
      const details = { by: incident.acknowledged_by, at: incident.acknowledged_at?.toISOString() ?? null };
      const message = `expected an incident that nobody has acknowledged, found that ${incident.acknowledged_by} has`;
      return { kind: 'refused', reason: 'already-acknowledged', message, details };
    }
    const { actor, origin } = command;
    const event = await deps.incidents.note(tx, {
      incidentId: incident.id,
      kind: 'ack',
      reason: 'acknowledged',
      actor,
      origin,
    });
    await tx.execute('UPDATE incidents SET acknowledged_by = $2, acknowledged_at = app_now() WHERE id = $1', [
      incident.id,
      actor,
    ]);
    await appendAudit(tx, {
      actor,
      origin,
      verb: 'incident.ack',
      subjectKind: 'incident',
      subjectId: incident.id,
      cluster: incident.cluster,
    });
    return { kind: 'done', eventId: event.eventId, version: event.seq };
  });
  await deps.faults.hit('command:incident-ack');
  return result;
}
