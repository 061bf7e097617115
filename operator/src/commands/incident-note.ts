import { cleanText } from '@hephaisto/core/signal/clean-text';
import { appendAudit } from '../flow/incident-log/audit.ts';
import type { CommandAuthor, CommandDeps, CommandRefused } from './command.ts';
import { incidentNotFound, LONGEST_TEXT, lockForCommand } from './incident-row.ts';

export interface NoteIncident extends CommandAuthor {
  readonly incidentId: string;
  readonly text: string;
}

export type NoteResult =
  | { readonly kind: 'done'; readonly eventId: number; readonly version: number }
  | CommandRefused<'incident-not-found' | 'note-empty' | 'note-too-long'>;

/** Leaves a person's words on the timeline, also after the incident is over. Inert text: nothing reads it but people. */
export async function noteIncident(deps: CommandDeps, command: NoteIncident): Promise<NoteResult> {
  const text = cleanText(command.text).trim();
  if (text === '') return { kind: 'refused', reason: 'note-empty', message: 'expected a text, found none' };
  if (text.length > LONGEST_TEXT) {
    const message = `expected a text of at most ${LONGEST_TEXT} characters, found ${text.length}`;
    return { kind: 'refused', reason: 'note-too-long', message };
  }
  const result = await deps.db.transaction(async (tx): Promise<NoteResult> => {
    const incident = await lockForCommand(tx, command.incidentId);
    if (incident === undefined) return incidentNotFound(command.incidentId);
    const { actor, origin } = command;
    const event = await deps.incidents.note(tx, {
      incidentId: incident.id,
      kind: 'note',
      reason: 'noted',
      data: { text },
      actor,
      origin,
    });
    await appendAudit(tx, {
      actor,
      origin,
      verb: 'incident.note',
      subjectKind: 'incident',
      subjectId: incident.id,
      cluster: incident.cluster,
    });
    return { kind: 'done', eventId: event.eventId, version: event.seq };
  });
  await deps.faults.hit('command:incident-note');
  return result;
}
