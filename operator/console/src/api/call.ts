import type { Problem } from '@hephaisto/core/report/problem';
import { parseInert } from '../parts/inert-text.ts';

/** A refusal of the server, or no answer at all. Every failure of a call is one of these. */
export type Failure =
  | { readonly kind: 'refused'; readonly problem: Problem }
  /** Nothing came back, so whether it was carried out is unknown. */
  | { readonly kind: 'unreached'; readonly message: string };

export class CallFailed extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.kind === 'refused' ? failure.problem.detail : failure.message);
    this.name = 'CallFailed';
    this.failure = failure;
  }
  get code(): string {
    return this.failure.kind === 'refused' ? this.failure.problem.code : 'unreached';
  }
}

export interface CallOptions {
  readonly body?: unknown;
  /** Version that the caller has seen, sent as `If-Match`. */
  readonly seen?: number;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

/** Told of every answer and of every silence, so that the screen can say how old it is. */
export interface LineWatcher {
  answered(dateHeader: string | null): void;
  unanswered(): void;
  signedOut(): void;
}

let watcher: LineWatcher | undefined;
let csrfToken: string | undefined;

export function watchCalls(by: LineWatcher): void {
  watcher = by;
}

/** The token that every write of this session carries. */
export function rememberCsrf(token: string | null): void {
  csrfToken = token ?? undefined;
}

const PATIENCE_MS = 20_000;

/** Asks the server. Rejects with `CallFailed` for refusals and silence; aborting rejects with the abort's own error. */
export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const signal = options.signal === undefined ? patience : AbortSignal.any([options.signal, patience]);
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(path, {
      method,
      signal,
      credentials: 'same-origin',
      headers: headersOf(method, options),
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    });
    text = await answer.text();
  } catch (error: unknown) {
    if (options.signal?.aborted === true) throw error;
    watcher?.unanswered();
    throw new CallFailed({ kind: 'unreached', message: 'the server did not answer' });
  }
  watcher?.answered(answer.headers.get('date'));
  if (answer.ok) return (text === '' ? undefined : parseInert(text)) as T;
  if (answer.status === 401 && !path.endsWith('/session')) watcher?.signedOut();
  throw new CallFailed({ kind: 'refused', problem: problemOf(answer.status, text) });
}

function headersOf(method: string, options: CallOptions): Record<string, string> {
  // A reading carries no header of its own: only then is it the one that the document has already asked for.
  return {
    ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(method === 'GET' || csrfToken === undefined ? {} : { 'x-csrf-token': csrfToken }),
    ...(options.seen === undefined ? {} : { 'if-match': `"${options.seen}"` }),
    ...(options.idempotencyKey === undefined ? {} : { 'idempotency-key': options.idempotencyKey }),
  };
}

/** The problem document, or one made from a bare status where something between us and the server answered. */
function problemOf(status: number, text: string): Problem {
  try {
    const parsed: unknown = parseInert(text);
    if (typeof parsed === 'object' && parsed !== null && 'code' in parsed && 'detail' in parsed)
      return parsed as Problem;
  } catch {
    // Not JSON: a proxy's page. Its status is all that can be said.
  }
  const code = status === 404 ? 'not-found' : status >= 500 ? 'internal' : 'invalid-request';
  return {
    type: 'about:blank',
    title: 'Refused',
    status,
    code,
    detail: `the answer was ${status} without an explanation`,
  };
}

/** A key under which the same press, sent twice, is carried out once. */
export function freshKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** What to say of any error that reaches a page. */
export function sayError(error: unknown): string {
  return error instanceof Error ? error.message : 'something failed without saying what';
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof CallFailed ? error.code : undefined;
}
