import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { rootCertificates } from 'node:tls';
import type { HttpRefusal } from '@hephaisto/core/model/failure';
import type { TryHooks } from '@hephaisto/core/ports/model-dialect';

export interface TransportOptions {
  /** An answer longer than this is broken off. */
  readonly maxAnswerBytes: number;
  /** HTTP proxy that everything goes through; the environment is never asked. */
  readonly proxyUrl?: string;
  /** PEM of authorities that are trusted beside the usual ones. */
  readonly ca?: string;
}

/** What one request met, for whoever has to explain an error. */
export interface HttpTrace {
  readonly maxBytes: number;
  responded: boolean;
  tooLarge: boolean;
  refusal?: HttpRefusal;
}

export interface Transport {
  /** A `fetch` for one try, and what it saw. */
  open(hooks: TryHooks): { readonly fetch: typeof fetch; readonly trace: HttpTrace };
  close(): void;
}

const LONGEST_REFUSAL = 65_536;

/**
 * HTTP for the SDKs, in place of the runtime's own `fetch`: the exact bytes are known before they leave, an abort destroys the socket at
 * once, answers are bounded, redirects are not followed (a key must not travel on), and proxy and authorities are ours to set.
 */
export function createTransport(options: TransportOptions): Transport {
  const proxy =
    options.proxyUrl === undefined
      ? {}
      : {
          proxyEnv: {
            HTTP_PROXY: options.proxyUrl,
            HTTPS_PROXY: options.proxyUrl,
            http_proxy: options.proxyUrl,
            https_proxy: options.proxyUrl,
          },
        };
  const plain = new http.Agent({ keepAlive: true, maxSockets: 32, ...proxy });
  const secure = new https.Agent({
    keepAlive: true,
    maxSockets: 32,
    ...(options.ca === undefined ? {} : { ca: [...rootCertificates, options.ca] }),
    ...proxy,
  });
  return {
    open(hooks) {
      const trace: HttpTrace = { maxBytes: options.maxAnswerBytes, responded: false, tooLarge: false };
      return { trace, fetch: (input, init) => exchange(addressOf(input), init ?? {}, hooks, trace, { plain, secure }) };
    },
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

function addressOf(input: string | URL | Request): URL {
  return new URL(input instanceof Request ? input.url : input);
}

async function exchange(
  url: URL,
  init: RequestInit,
  hooks: TryHooks,
  trace: HttpTrace,
  agents: { readonly plain: http.Agent; readonly secure: https.Agent },
): Promise<Response> {
  const body = Buffer.from(typeof init.body === 'string' ? init.body : '', 'utf8');
  await hooks.send(body);
  hooks.signal.throwIfAborted();
  const secure = url.protocol === 'https:';
  const headers: Record<string, string> = {
    ...Object.fromEntries(new Headers(init.headers)),
    'content-length': String(body.length),
  };
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const request = (secure ? https : http).request(
    url,
    { method: init.method ?? 'POST', headers, agent: secure ? agents.secure : agents.plain, signal: hooks.signal },
    (response) => {
      trace.responded = true;
      const status = response.statusCode ?? 0;
      const answer =
        status >= 200 && status < 300
          ? Promise.resolve(streamed(response, hooks, trace))
          : refused(response, status, trace);
      answer.then(resolve, reject);
    },
  );
  request.on('error', (error) => reject(hooks.signal.aborted ? hooks.signal.reason : error));
  request.end(body);
  return promise;
}

function streamed(response: http.IncomingMessage, hooks: TryHooks, trace: HttpTrace): Response {
  let received = 0;
  response.on('data', (chunk: Buffer) => {
    hooks.heard();
    received += chunk.length;
    if (received <= trace.maxBytes) return;
    trace.tooLarge = true;
    response.destroy(new Error(`expected at most ${trace.maxBytes} bytes`));
  });
  return new Response(Readable.toWeb(response) as ReadableStream<Uint8Array>, {
    status: 200,
    headers: headersOf(response),
  });
}

async function refused(response: http.IncomingMessage, status: number, trace: HttpTrace): Promise<Response> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LONGEST_REFUSAL) break;
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks).toString('utf8');
  const headers = headersOf(response);
  trace.refusal = { status, headers, body };
  // The classes of Response refuse a status that no client makes by itself.
  return new Response(body, { status: Math.min(599, Math.max(400, status)), headers });
}

function headersOf(response: http.IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(response.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}
