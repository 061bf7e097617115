import type { Switch } from '@hephaisto/core/report/installation';
import { AGENT_MODE } from '@hephaisto/core/switches/arms';
import type { Client } from '../client.ts';
import { CommandFailed, EXIT, type ExitCode } from '../exit.ts';
import { type Format, inert, renderObject } from '../output.ts';
import type { Terminal } from '../terminal.ts';

export interface ModeOptions {
  readonly reason?: string | undefined;
  readonly output: Format;
}

/** Says which mode is in force and what each arm says of it. */
export async function showMode(client: Client, terminal: Terminal, output: Format): Promise<ExitCode> {
  return show(terminal, await current(client), output);
}

/** Sets the mode that the database holds. The other arms still hold it back where they say less, and that is told. */
export async function setMode(
  client: Client,
  terminal: Terminal,
  mode: string,
  options: ModeOptions,
): Promise<ExitCode> {
  if (options.reason === undefined) throw new CommandFailed(EXIT.usage, 'expected --reason, found none; say why');
  const { version } = await current(client);
  const { body } = await client.send<Switch>(
    'PUT',
    `/api/v1/switches/${AGENT_MODE}`,
    { value: mode, reason: options.reason },
    `"${version}"`,
  );
  return show(terminal, body, options.output);
}

async function current(client: Client): Promise<Switch> {
  const { body } = await client.get<{ items: Switch[] }>('/api/v1/switches');
  const found = body.items.find((entry) => entry.name === AGENT_MODE);
  if (found === undefined)
    throw new CommandFailed(EXIT.failed, `expected the switch ${AGENT_MODE}, found none; is the server newer?`);
  return found;
}

function show(terminal: Terminal, entry: Switch, format: Format): ExitCode {
  if (format === 'json' || format === 'yaml') terminal.out(renderObject(entry, format));
  else if (format === 'name') terminal.out(`switch/${entry.name}\n`);
  else {
    const lines = [
      `mode in force: ${entry.effective} (the most careful word counts)`,
      ...Object.entries(entry.arms).map(([arm, word]) => `  ${arm}: ${word}`),
      '  the policy may hold single namespaces and kinds lower',
    ];
    terminal.out(lines.map((line) => `${inert(line)}\n`).join(''));
  }
  return EXIT.done;
}
