import type { Switch } from '@hephaisto/core/report/installation';
import type { Client } from '../client.ts';
import { CommandFailed, EXIT, type ExitCode } from '../exit.ts';
import { type Format, inert, renderObject } from '../output.ts';
import type { Terminal } from '../terminal.ts';

const NAME = 'emergency_stop';

export interface KillSwitchOptions {
  readonly reason?: string | undefined;
  readonly output: Format;
}

/** Turns the emergency stop on or off, or says how it stands. Turning on needs no version: a stop must not wait for a reread. */
export async function killSwitch(
  client: Client,
  terminal: Terminal,
  what: 'on' | 'off' | 'status',
  options: KillSwitchOptions,
): Promise<ExitCode> {
  if (what === 'status') return show(terminal, await current(client), options.output);
  if (options.reason === undefined) throw new CommandFailed(EXIT.usage, 'expected --reason, found none; say why');
  const ifMatch = what === 'off' ? `"${(await current(client)).version}"` : undefined;
  const { body } = await client.send<Switch>(
    'PUT',
    `/api/v1/switches/${NAME}`,
    { value: what, reason: options.reason },
    ifMatch,
  );
  return show(terminal, body, options.output);
}

async function current(client: Client): Promise<Switch> {
  const { body } = await client.get<{ items: Switch[] }>('/api/v1/switches');
  const found = body.items.find((entry) => entry.name === NAME);
  if (found === undefined)
    throw new CommandFailed(EXIT.failed, `expected the switch ${NAME}, found none; is the server newer?`);
  return found;
}

function show(terminal: Terminal, entry: Switch, format: Format): ExitCode {
  if (format === 'json' || format === 'yaml') terminal.out(renderObject(entry, format));
  else if (format === 'name') terminal.out(`switch/${entry.name}\n`);
  else {
    const who =
      entry.setBy === null ? '' : `  set by ${entry.setBy.name} at ${entry.setAt ?? ''}: ${entry.reason ?? ''}`;
    terminal.out(`${inert(`${entry.name} is ${entry.effective}${who}`)}\n`);
  }
  return EXIT.done;
}
