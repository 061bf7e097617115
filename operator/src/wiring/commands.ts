import type { ActingDeps } from '../act/deps.ts';
import type { ApiCommands } from '../api/commands.ts';
import { SWITCH_CHANNEL } from '../api/stream/hub.ts';
import { ackIncident } from '../commands/incident-ack.ts';
import { assignIncident } from '../commands/incident-assign.ts';
import { closeIncident } from '../commands/incident-close.ts';
import { noteIncident } from '../commands/incident-note.ts';
import { reinvestigateIncident } from '../commands/incident-reinvestigate.ts';
import { stopInvestigation } from '../commands/investigation-stop.ts';
import { decideProposal } from '../commands/proposal-decide.ts';
import { reviseProposal } from '../commands/proposal-revise.ts';
import { setSwitch } from '../commands/switch-set.ts';
import { createYield } from '../flow/event-loop-turns.ts';
import { createReadAgain } from '../investigate/read-again.ts';
import { TOOLBOX } from '../investigate/toolbox.ts';

/** The commands of people and programs, bound to what they use. Every surface calls these and no others. */
export function createCommands(deps: ActingDeps): ApiCommands {
  const readAgain = createReadAgain(deps.reader, TOOLBOX, createYield(deps));
  return {
    close: (command) => closeIncident(deps, command),
    stopInvestigation: (command) => stopInvestigation(deps, command),
    reinvestigate: (command) => reinvestigateIncident({ ...deps, readAgain }, command),
    acknowledge: (command) => ackIncident(deps, command),
    assign: ({ assignee, ...command }) => assignIncident(deps, { ...command, assignee: assignee ?? undefined }),
    note: (command) => noteIncident(deps, command),
    decide: ({ origin, ...command }) => decideProposal(deps, { ...command, source: origin }),
    revise: (command) => reviseProposal(deps, command),
    async setSwitch(command) {
      const result = await setSwitch(deps, command);
      // Screens everywhere hear of it at once; the decision itself does not depend on this.
      if (result.kind === 'done') await deps.db.query('SELECT pg_notify($1, $2)', [SWITCH_CHANNEL, '']);
      return result;
    },
  };
}
