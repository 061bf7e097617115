import { TERMINAL_INCIDENT_STATES } from '@hephaisto/core/incident/machine';
import { cleanText } from '@hephaisto/core/signal/clean-text';
import { appendAudit } from '../flow/incident-log/audit.ts';
import { withdrawDecisions } from '../flow/incident-log/withdraw-decisions.ts';
import type { CommandAuthor, CommandDeps, CommandRefused } from './command.ts';
import { incidentNotFound, LONGEST_TEXT, lockForCommand } from './incident-row.ts';

export interface CloseIncident extends CommandAuthor {
  readonly incidentId: string;
  /** Why; required, kept on the incident. */
  readonly reason: string;
}

export type CloseResult =
  | { readonly kind: 'done'; readonly eventId: number; readonly version: number }
  | CommandRefused<'incident-not-found' | 'already-closed' | 'reason-required' | 'reason-too-long'>;

/**
 * A person ends an incident, in any state that is not over. Open proposals become void. An action that is under way, and its checks, go
 * on: closing says that people have no more to do here, not that the world may be left half changed.
 */
export async function closeIncident(deps: CommandDeps, command: CloseIncident): Promise<CloseResult> {
  const reason = cleanText(command.reason).trim();
  if (reason === '') {
    return { kind: 'refused', reason: 'reason-required', message: 'expected a reason, found none; say why it is over' };
  }
  if (reason.length > LONGEST_TEXT) {
    const message = `expected a reason of at most ${LONGEST_TEXT} characters, found ${reason.length}`;
    return { kind: 'refused', reason: 'reason-too-long', message };
  }
  const result = await deps.db.transaction(async (tx): Promise<CloseResult> => {
    const incident = await lockForCommand(tx, command.incidentId);
    if (incident === undefined) return incidentNotFound(command.incidentId);
    if (TERMINAL_INCIDENT_STATES.includes(incident.state)) {
      const message = `expected an open incident, found it ${incident.state}`;
      const details = { state: incident.state, at: incident.closed_at?.toISOString() ?? null };
      return { kind: 'refused', reason: 'already-closed', message, details };
    }
    const { actor, origin } = command;
    const moved = await deps.incidents.transition(tx, {
      incidentId: incident.id,
      edge: 'I18',
      reason: 'closed-by-person',
      resolutionSource: 'human',
      resolutionNote: reason,
      actor,
      origin,
    });
    if (moved.kind === 'refused') throw new Error(`${moved.message}; this is a bug in hephaisto`);
    await withdrawDecisions(tx, incident.id, 'incident-closed');
    await appendAudit(tx, {
      actor,
      origin,
      verb: 'incident.close',
      subjectKind: 'incident',
      subjectId: incident.id,
      cluster: incident.cluster,
      detail: { from: incident.state },
    });
    return { kind: 'done', eventId: moved.eventId, version: moved.seq };
  });
  await deps.faults.hit('command:incident-close');
  return result;
}
