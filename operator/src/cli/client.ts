import { joinBasePath } from '@hephaisto/core/base-path';
import { parseDuration } from '@hephaisto/core/config/duration';
import { CommandFailed, EXIT } from './exit.ts';
import type { Terminal } from './terminal.ts';

/** Where to ask and as whom. */
export interface ClientOptions {
  readonly server?: string | undefined;
  readonly token?: string | undefined;
  /** Headers of a session, instead of a token. */
  readonly session?: Readonly<Record<string, string>>;
  /** e.g. `10s` */
  readonly requestTimeout?: string | undefined;
}

export interface ClientAnswer<T> {
  readonly body: T;
  readonly etag: string | undefined;
}

/** The API as commands use it. Every refusal becomes `CommandFailed` with the problem's code in its sentence. */
export interface Client {
  get<T>(path: string): Promise<ClientAnswer<T>>;
  send<T>(method: 'POST' | 'PUT' | 'DELETE', path: string, body: unknown, ifMatch?: string): Promise<ClientAnswer<T>>;
  /** Lines of the live stream, until it ends or the signal aborts. */
  stream(lastEventId: string | undefined, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
}

const DEFAULT_SERVER = 'http://127.0.0.1:8080';
const DEFAULT_TIMEOUT_MS = 30_000;

export function createClient(options: ClientOptions, terminal: Terminal): Client {
  const server = (options.server ?? terminal.env.HEPHAISTO_SERVER ?? DEFAULT_SERVER).replace(/\/$/, '');
  if (URL.parse(server) === null)
    throw new CommandFailed(EXIT.usage, `expected a URL for --server, found \`${server}\``);
  const token = options.token ?? terminal.env.HEPHAISTO_TOKEN;
  const timeoutMs = options.requestTimeout === undefined ? DEFAULT_TIMEOUT_MS : parseDuration(options.requestTimeout);
  if (timeoutMs === undefined)
    throw new CommandFailed(
      EXIT.usage,
      `expected a duration such as \`10s\` for --request-timeout, found \`${options.requestTimeout}\``,
    );

  async function exchange(path: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(joinBasePath(server, path), {
        ...init,
        signal,
        headers: {
          ...(options.session ?? (token === undefined ? {} : { authorization: `Bearer ${token}` })),
          ...(init.headers as Record<string, string>),
        },
      });
    } catch (error: unknown) {
      if (terminal.stop.aborted) throw error;
      throw new CommandFailed(
        EXIT.surroundings,
        `expected an answer from ${server}, found ${reasonOf(error)}; is it running, and is --server right?`,
        error,
      );
    }
    if (!response.ok) throw await refused(response);
    return response;
  }

  function limited(): AbortSignal {
    return AbortSignal.any([terminal.stop, AbortSignal.timeout(timeoutMs ?? DEFAULT_TIMEOUT_MS)]);
  }

  async function answered<T>(response: Response): Promise<ClientAnswer<T>> {
    return { body: (await response.json()) as T, etag: response.headers.get('etag') ?? undefined };
  }

  return {
    get: async (path) => answered(await exchange(path, {}, limited())),
    send: async (method, path, body, ifMatch) =>
      answered(
        await exchange(
          path,
          {
            method,
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
            headers: {
              ...(body === undefined ? {} : { 'content-type': 'application/json' }),
              ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
            },
          },
          limited(),
        ),
      ),
    async stream(lastEventId, signal) {
      const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
      const response = await exchange('/api/v1/stream', { headers }, AbortSignal.any([terminal.stop, signal]));
      if (response.body === null)
        throw new CommandFailed(EXIT.surroundings, 'expected a live stream, found an empty answer');
      return response.body;
    },
  };
}

async function refused(response: Response): Promise<CommandFailed> {
  const text = await response.text();
  const problem = problemOf(text);
  const help =
    response.status === 401
      ? '; give a token with --token or HEPHAISTO_TOKEN; the first one is made with `token create --link URL`, where URL is the sign-in link that `run` prints'
      : problem.code === 'digest-mismatch'
        ? '; read it with `incidents get NUMBER`'
        : '';
  return new CommandFailed(
    // What does not even fit the schema is a mistake in the command line, as if it had been found before anything was asked.
    problem.code === 'invalid-request' || problem.code === 'unknown-parameter' ? EXIT.usage : EXIT.failed,
    `refused (${problem.code ?? response.status}): ${problem.detail ?? text.slice(0, 200)}${help}`,
  );
}

function problemOf(text: string): { readonly code?: string; readonly detail?: string } {
  try {
    return JSON.parse(text) as { code?: string; detail?: string };
  } catch {
    return {};
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'none in time';
  return error.cause instanceof Error ? error.cause.message : error.message;
}
