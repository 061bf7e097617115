import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { createInterface } from 'node:readline';
import { errorFromBody, KubeApiError } from './kube-error.ts';
import type { ClusterAccess } from './kubeconfig.ts';

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
  /** How long to wait for the whole answer; streams have no such limit. */
  readonly timeoutMs?: number;
}

/** HTTPS to one API server. Throws KubeApiError for every answer that is not 2xx and, with code 0, when none comes. */
export interface HttpsTransport {
  text(call: HttpCall): Promise<string>;
  /** Yields the answer line by line until the server ends it; a cut in the middle of a line throws. */
  lines(call: HttpCall): AsyncIterable<string>;
  close(): void;
}

const DEFAULT_TIMEOUT_MS = 30_000;

function fullPath(call: HttpCall): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(call.query ?? {})) if (value !== undefined) query.set(name, String(value));
  const text = query.toString();
  return text === '' ? call.path : `${call.path}?${text}`;
}

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function unreachable(error: unknown): KubeApiError {
  if (error instanceof KubeApiError) return error;
  return new KubeApiError(
    0,
    'Unreachable',
    `no answer from the API server: ${error instanceof Error ? error.message : String(error)}`,
  );
}

/** Opens connections lazily and keeps them alive; `close` ends idle ones and refuses new ones. */
export function httpsTransport(access: ClusterAccess, userAgent: string): HttpsTransport {
  const base = new URL(access.server);
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 64,
    ...(access.certificateAuthority === undefined ? {} : { ca: access.certificateAuthority }),
    ...(access.clientCertificate === undefined ? {} : { cert: access.clientCertificate }),
    ...(access.clientKey === undefined ? {} : { key: access.clientKey }),
  });

  function send(call: HttpCall, signal: AbortSignal | undefined): Promise<IncomingMessage> {
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    const headers: Record<string, string | number> = { accept: 'application/json', 'user-agent': userAgent };
    if (access.token !== undefined) headers.authorization = `Bearer ${access.token}`;
    if (body !== undefined) {
      headers['content-type'] = call.contentType ?? 'application/json';
      headers['content-length'] = Buffer.byteLength(body);
    }
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          agent,
          host: base.hostname,
          port: base.port === '' ? 443 : base.port,
          method: call.method,
          path: `${base.pathname.replace(/\/+$/, '')}${fullPath(call)}`,
          headers,
          ...(signal === undefined ? {} : { signal }),
        },
        resolve,
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  async function text(call: HttpCall): Promise<string> {
    const timeout = AbortSignal.timeout(call.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    const signal = call.signal === undefined ? timeout : AbortSignal.any([call.signal, timeout]);
    try {
      const response = await send(call, signal);
      const body = await readAll(response);
      const code = response.statusCode ?? 0;
      if (code < 200 || code > 299) throw errorFromBody(code, body);
      return body;
    } catch (error) {
      throw unreachable(error);
    }
  }

  async function* lines(call: HttpCall): AsyncGenerator<string> {
    try {
      const response = await send(call, call.signal);
      const code = response.statusCode ?? 0;
      if (code < 200 || code > 299) throw errorFromBody(code, await readAll(response));
      let failure: Error | undefined;
      response.on('error', (error) => {
        failure = error;
      });
      try {
        for await (const line of createInterface({ input: response, crlfDelay: Number.POSITIVE_INFINITY })) yield line;
      } finally {
        response.destroy();
      }
      if (failure !== undefined) throw failure;
    } catch (error) {
      throw unreachable(error);
    }
  }

  return { text, lines, close: () => agent.destroy() };
}
