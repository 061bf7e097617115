import { appendAudit } from '../flow/incident-log/audit.ts';
import type { CommandAuthor, CommandDeps, CommandRefused } from './command.ts';
import { incidentNotFound, lockForCommand } from './incident-row.ts';
import { type ReadAgain, standingFinding } from './standing-finding.ts';

export interface ReinvestigateIncident extends CommandAuthor {
  readonly incidentId: string;
  /** Look even where everything that the verdict rests on is as it was. */
  readonly anyway?: boolean;
}

export type ReinvestigateResult =
  | { readonly kind: 'done'; readonly eventId: number; readonly version: number }
  | CommandRefused<'incident-not-found' | 'not-escalated' | 'about-ourselves' | 'unknown-cluster' | 'nothing-changed'>;

/**
 * Somebody asks for another look at an incident that is in people's hands. Refused while all that its verdict quotes stands as it stood,
 * so that nothing can ask in a circle; a person who knows better says `anyway`.
 */
export async function reinvestigateIncident(
  deps: CommandDeps & { readonly readAgain: ReadAgain },
  command: ReinvestigateIncident,
): Promise<ReinvestigateResult> {
  // Read before the transaction: the cluster may be slow, and rows are not held for it.
  const standing =
    command.anyway === true ? undefined : await standingFinding(deps.db, deps.readAgain, command.incidentId);
  const result = await deps.db.transaction(async (tx): Promise<ReinvestigateResult> => {
    const incident = await lockForCommand(tx, command.incidentId);
    if (incident === undefined) return incidentNotFound(command.incidentId);
    if (incident.is_self || incident.is_meta) {
      const message =
        'expected an incident of a workload, found one about hephaisto or about incidents; a person must look';
      return { kind: 'refused', reason: 'about-ourselves', message };
    }
    if (incident.cluster.startsWith('unknown:')) {
      const message = `expected a cluster that hephaisto has access to, found \`${incident.cluster}\``;
      return { kind: 'refused', reason: 'unknown-cluster', message };
    }
    if (standing !== undefined && incident.state === 'Escalated') {
      const message = `expected something new, found all that the finding rests on as it was (${standing.statement}); to look all the same, send \`anyway\``;
      return { kind: 'refused', reason: 'nothing-changed', message, details: { finding: standing.id } };
    }
    const { actor, origin } = command;
    const moved = await deps.incidents.transition(tx, {
      incidentId: incident.id,
      edge: 'I17',
      reason: 'reinvestigate',
      actor,
      origin,
    });
    if (moved.kind === 'refused') {
      const message = `expected an escalated incident, found it ${incident.state}`;
      return { kind: 'refused', reason: 'not-escalated', message, details: { state: incident.state } };
    }
    await appendAudit(tx, {
      actor,
      origin,
      verb: 'incident.reinvestigate',
      subjectKind: 'incident',
      subjectId: incident.id,
      cluster: incident.cluster,
    });
    return { kind: 'done', eventId: moved.eventId, version: moved.seq };
  });
  await deps.faults.hit('command:incident-reinvestigate');
  return result;
}
