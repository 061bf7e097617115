import { joinBasePath } from '@hephaisto/core/base-path';
import { type Client, createClient } from './client.ts';
import { CommandFailed, EXIT } from './exit.ts';
import type { Terminal } from './terminal.ts';

/**
 * Spends a one-time sign-in link and speaks as whoever it is for: the way to the first token, when there is none to ask with.
 * Throws `CommandFailed` when the link is no good.
 */
export async function clientOfLink(link: string, terminal: Terminal): Promise<Client> {
  const url = URL.parse(link);
  const token = url?.searchParams.get('token');
  if (url === null || token === undefined || token === null)
    throw new CommandFailed(EXIT.usage, 'expected --link with a sign-in link as `run` prints it, found no link');
  // What stands before the page's own path is the prefix behind which the server is reached.
  const server = `${url.origin}${url.pathname.replace(/\/sign-in\/?$/, '')}`;
  let opened: Response;
  try {
    opened = await fetch(joinBasePath(server, '/api/v1/session'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url.origin },
      body: JSON.stringify({ token }),
      signal: terminal.stop,
    });
  } catch (error: unknown) {
    if (terminal.stop.aborted) throw error;
    throw new CommandFailed(EXIT.surroundings, `expected an answer from ${server}, found none; is it running?`, error);
  }
  if (!opened.ok)
    throw new CommandFailed(
      EXIT.failed,
      `expected a sign-in link that is neither used nor expired, found another (${opened.status}); \`run\` prints a new one at each start`,
    );
  const { csrfToken } = (await opened.json()) as { csrfToken?: string };
  const cookie = (opened.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return createClient({ server, session: { cookie, origin: url.origin, 'x-csrf-token': csrfToken ?? '' } }, terminal);
}
