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
  let opened: Response;
  try {
    opened = await fetch(`${url.origin}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url.origin },
      body: JSON.stringify({ token }),
      signal: terminal.stop,
    });
  } catch (error: unknown) {
    if (terminal.stop.aborted) throw error;
    throw new CommandFailed(
      EXIT.surroundings,
      `expected an answer from ${url.origin}, found none; is it running?`,
      error,
    );
  }
  if (!opened.ok)
    throw new CommandFailed(
      EXIT.failed,
      `expected a sign-in link that is neither used nor expired, found another (${opened.status}); \`run\` prints a new one at each start`,
    );
  const { csrfToken } = (await opened.json()) as { csrfToken?: string };
  const cookie = (opened.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return createClient(
    { server: url.origin, session: { cookie, origin: url.origin, 'x-csrf-token': csrfToken ?? '' } },
    terminal,
  );
}
