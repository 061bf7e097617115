import http from 'node:http';
import https from 'node:https';
import type { KubeFailure, KubeRead } from '@hephaisto/core/ports/kube';

const MAX_BYTES = 8 * 1024 * 1024;

export interface JsonGetOptions {
  readonly timeoutMs: number;
  /** Sent as a bearer token where given. */
  readonly token?: string;
  /** Breaks the request off. */
  readonly signal?: AbortSignal | undefined;
}

/** GET of JSON from a server beside the cluster, bounded in time and size. Never throws. */
export async function getJson(url: URL, options: JsonGetOptions): Promise<KubeRead<unknown>> {
  try {
    const { status, text } = await get(url, options);
    if (status < 200 || status >= 300)
      return failure(reasonOf(status), `${url.host} answered ${status}: ${text.slice(0, 200)}`);
    return { kind: 'ok', value: JSON.parse(text) as unknown };
  } catch (error: unknown) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof SyntaxError) return failure('malformed', `${url.host} answered something that is no JSON`);
    const late = error instanceof Error && error.name === 'TimeoutError';
    return failure(late ? 'timeout' : 'unsent', `${url.host} does not answer: ${message}`);
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

function get(url: URL, options: JsonGetOptions): Promise<{ readonly status: number; readonly text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]);
  const headers = {
    accept: 'application/json',
    ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
  };
  const request = (url.protocol === 'https:' ? https : http).get(url, { signal, headers }, (response) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BYTES) response.destroy(new Error(`expected at most ${MAX_BYTES} bytes`));
      else chunks.push(chunk);
    });
    response.on('end', () =>
      resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
    );
    response.on('error', reject);
  });
  request.on('error', (error) => reject(signal.aborted ? signal.reason : error));
  return promise;
}
