import { appendAudit } from '../flow/incident-log/audit.ts';
import { nudge } from '../flow/stage.ts';
import { endTurn } from '../flow/turn-log/turn-rows.ts';
import type { CommandAuthor, CommandDeps, CommandRefused } from './command.ts';
import { lockForCommand } from './incident-row.ts';

export interface StopInvestigation extends CommandAuthor {
  readonly investigationId: string;
  readonly reason: string;
}

export type StopInvestigationResult =
  | { readonly kind: 'done'; readonly incidentId: string; readonly version: number }
  | CommandRefused<'investigation-not-found' | 'already-ended' | 'reason-required'>;

/**
 * A person ends a look at an incident. It is over with this transaction, whoever runs it: no step and no call of a model can be begun any more,
 * and what is under way is broken off within a second. The incident is in that person's hands.
 */
export async function stopInvestigation(
  deps: CommandDeps,
  command: StopInvestigation,
): Promise<StopInvestigationResult> {
  const { investigationId, actor, origin } = command;
  if (command.reason.trim() === '')
    return {
      kind: 'refused',
      reason: 'reason-required',
      message: 'expected a reason, found none; say why it should stop',
    };
  const result = await deps.db.transaction(async (tx): Promise<StopInvestigationResult> => {
    const [found] = await tx.query<{ incident_id: string }>('SELECT incident_id FROM investigations WHERE id = $1', [
      investigationId,
    ]);
    const incident = found === undefined ? undefined : await lockForCommand(tx, found.incident_id);
    if (incident === undefined) {
      const message = `expected an investigation, found none with the id \`${investigationId}\``;
      return { kind: 'refused', reason: 'investigation-not-found', message };
    }
    const [stopped] = await tx.query<{ turn_id: string | null }>(
      `UPDATE investigations SET state = 'Stopped', end_reason = 'stopped-by-person', stop_requested_by = $2,
         stop_requested_at = app_now(), ended_at = app_now()
       WHERE id = $1 AND state IN ('Queued', 'Running') RETURNING turn_id`,
      [investigationId, actor],
    );
    if (stopped === undefined) {
      const message = 'expected an investigation that is under way, found it ended';
      return { kind: 'refused', reason: 'already-ended', message };
    }
    if (stopped.turn_id !== null)
      await endTurn(tx, stopped.turn_id, { status: 'STOPPED', reason: 'stopped-by-person' });
    const moved = await deps.incidents.transition(tx, {
      incidentId: incident.id,
      edge: 'I6',
      reason: 'stopped-by-person',
      escalationReason: 'Stopped',
      actor,
      origin,
      data: { investigation: investigationId },
    });
    await appendAudit(tx, {
      actor,
      origin,
      verb: 'investigation.stop',
      subjectKind: 'investigation',
      subjectId: investigationId,
      cluster: incident.cluster,
    });
    await nudge(tx, 'investigate');
    return { kind: 'done', incidentId: incident.id, version: moved.kind === 'moved' ? moved.seq : incident.version };
  });
  await deps.faults.hit('command:investigation-stop');
  return result;
}
