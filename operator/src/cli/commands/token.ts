import { parseDuration } from '@hephaisto/core/config/duration';
import type { Client } from '../client.ts';
import { CommandFailed, EXIT, type ExitCode } from '../exit.ts';
import { type Format, renderObject } from '../output.ts';
import type { Terminal } from '../terminal.ts';

export interface TokenOptions {
  readonly principal: string;
  readonly role: string;
  /** Empty: everywhere. */
  readonly namespace: readonly string[];
  readonly name?: string | undefined;
  /** e.g. `30d` */
  readonly expiresIn?: string | undefined;
  readonly output: Format;
}

/** Makes a token and prints it, once, alone on stdout. */
export async function createToken(client: Client, terminal: Terminal, options: TokenOptions): Promise<ExitCode> {
  const life = options.expiresIn === undefined ? undefined : parseDuration(options.expiresIn);
  if (options.expiresIn !== undefined && life === undefined)
    throw new CommandFailed(
      EXIT.usage,
      `expected a duration such as \`30d\` for --expires-in, found \`${options.expiresIn}\``,
    );
  const { body } = await client.send<{ token: string; id: string }>('POST', '/api/v1/tokens', {
    principal: options.principal,
    role: options.role,
    ...(options.namespace.length === 0 ? {} : { namespaces: options.namespace }),
    ...(options.name === undefined ? {} : { name: options.name }),
    ...(life === undefined ? {} : { expiresInSeconds: Math.floor(life / 1000) }),
  });
  terminal.out(
    options.output === 'json' || options.output === 'yaml' ? renderObject(body, options.output) : `${body.token}\n`,
  );
  terminal.talk(`token ${body.id} for ${options.principal}; it is not shown again\n`);
  return EXIT.done;
}
