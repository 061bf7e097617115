import type { KubeFailure, KubeRead } from '@hephaisto/core/ports/kube';
import type { HttpClient } from '../http/client.ts';
import type { HttpFailure } from '../http/failure.ts';

const MAX_BYTES = 8 * 1024 * 1024;

export interface JsonGetOptions {
  readonly http: HttpClient;
  /** Base address, with the path prefix where there is one, e.g. `http://alertmanager.monitoring:9093`. */
  readonly url: string;
  readonly timeoutMs: number;
  /** Sent as a bearer token where given. */
  readonly token?: string;
}

export interface JsonQuestion {
  /** Below the base address. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Breaks the request off. */
  readonly signal?: AbortSignal | undefined;
}

/** GET of JSON from a server beside the cluster, bounded in time and size. Never throws. */
export async function getJson(
  { http, url, timeoutMs, token }: JsonGetOptions,
  question: JsonQuestion,
): Promise<KubeRead<unknown>> {
  const read = await http.request({
    ...question,
    base: url,
    method: 'GET',
    headers: { accept: 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
    deadlines: { totalMs: timeoutMs },
    maxBodyBytes: MAX_BYTES,
  });
  const host = hostOf(url);
  if (read.kind === 'failure') return failure(brokenReason(read), `${host} does not answer: ${read.message}`);
  const { status, text } = read.value;
  if (status < 200 || status >= 300)
    return failure(reasonOf(status), `${host} answered ${status}: ${text.slice(0, 200)}`);
  try {
    return { kind: 'ok', value: JSON.parse(text) as unknown };
  } catch {
    return failure('malformed', `${host} answered something that is no JSON`);
  }
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'the server';
}

function brokenReason({ reason }: HttpFailure): KubeFailure['reason'] {
  switch (reason) {
    case 'connect-timeout':
    case 'headers-timeout':
    case 'idle-timeout':
    case 'deadline':
      return 'timeout';
    case 'body-too-large':
    case 'headers-too-large':
    case 'malformed':
      return 'malformed';
    case 'cut':
      return 'cut';
    case 'invalid-call':
      return 'invalid';
    case 'unresolved':
    case 'unreachable':
    case 'untrusted':
    case 'proxy':
    case 'aborted':
      return 'unsent';
    default:
      return reason satisfies never;
  }
}

function reasonOf(status: number): KubeFailure['reason'] {
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not-found';
  if (status === 400 || status === 422) return 'invalid';
  return status === 429 ? 'too-many-requests' : 'server-error';
}

function failure(reason: KubeFailure['reason'], message: string): KubeFailure {
  return { kind: 'failure', reason, message };
}
