import type { Client } from '../client.ts';
import { CommandFailed, EXIT, type ExitCode } from '../exit.ts';
import { inert } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { incidentPath } from './incident-path.ts';

export interface ReinvestigateOptions {
  readonly reason?: string | undefined;
  readonly anyway?: boolean | undefined;
}

/** Asks for another look at an incident. */
export async function reinvestigate(
  client: Client,
  terminal: Terminal,
  id: string,
  options: ReinvestigateOptions,
): Promise<ExitCode> {
  const path = incidentPath(id);
  if (options.reason === undefined) throw new CommandFailed(EXIT.usage, 'expected --reason, found none; say why');
  await client.send('POST', `${path}/reinvestigate`, {
    reason: options.reason,
    ...(options.anyway === true ? { anyway: true } : {}),
  });
  terminal.out(`${inert(`incident ${id} is looked at again; follow it with \`incidents get ${id}\``)}\n`);
  return EXIT.done;
}
