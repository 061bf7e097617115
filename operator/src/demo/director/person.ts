import type { Session } from '@hephaisto/core/report/installation';

/** What the API said: the status, and the answer or the problem. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Somebody at the API, with a session of their own. Nothing here knows more than a browser does. */
export interface PersonClient {
  readonly subject: string;
  /** Throws ApiRefused unless the answer is 2xx. */
  get<T>(path: string): Promise<T>;
  /** Gives refusals back as answers; throws only when there is none. `more` are further headers. */
  post(path: string, body: object, more?: Readonly<Record<string, string>>): Promise<ApiAnswer>;
  /** The same with PUT. */
  put(path: string, body: object, more?: Readonly<Record<string, string>>): Promise<ApiAnswer>;
  /** The raw event stream, resumed behind `lastEventId`. */
  stream(signal: AbortSignal, lastEventId?: string): Promise<ReadableStream<Uint8Array>>;
}

export class ApiRefused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.name = 'ApiRefused';
    this.status = status;
  }
}

/** Spends the one-time link, as its page would, and keeps the session's cookie. Throws ApiRefused when the link is no longer good. */
export async function signIn(link: string): Promise<PersonClient> {
  const url = new URL(link);
  const origin = url.origin;
  const opened = await fetch(`${origin}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ token: url.searchParams.get('token') }),
  });
  if (!opened.ok)
    throw new ApiRefused(opened.status, `expected the sign-in link to work, found ${await opened.text()}`);
  const session = (await opened.json()) as Session;
  const cookie = (opened.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const headers = { cookie, origin, 'x-csrf-token': session.csrfToken ?? '' };
  async function send(
    method: 'POST' | 'PUT',
    path: string,
    body: object,
    more: Readonly<Record<string, string>> = {},
  ): Promise<ApiAnswer> {
    const answer = await fetch(`${origin}${path}`, {
      method,
      headers: { ...headers, ...more, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }
  return {
    subject: session.subject,
    async get<T>(path: string): Promise<T> {
      const answer = await fetch(`${origin}${path}`, { headers });
      if (!answer.ok)
        throw new ApiRefused(answer.status, `expected GET ${path} to answer, found ${await answer.text()}`);
      return (await answer.json()) as T;
    },
    post: (path, body, more) => send('POST', path, body, more),
    put: (path, body, more) => send('PUT', path, body, more),
    async stream(signal, lastEventId) {
      const resume = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
      const answer = await fetch(`${origin}/api/v1/stream`, { headers: { ...headers, ...resume }, signal });
      if (!answer.ok || answer.body === null)
        throw new ApiRefused(answer.status, 'expected the event stream to open, found it refused');
      return answer.body;
    },
  };
}
