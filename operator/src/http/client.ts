import { joinBasePath } from '@hephaisto/core/base-path';
import { Agent, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { type Deadlines, Exchange, type HttpAnswer } from './exchange.ts';
import { BrokenBodyError, type HttpResult, httpFailure } from './failure.ts';
import { type ProxyRules, proxyFor } from './proxy-rules.ts';

/** What a connection is encrypted with. Everything absent is the runtime's own, except verification, which is on. */
export interface HttpTls {
  /** PEM of the authorities that are trusted, in place of the usual ones. */
  readonly ca?: readonly string[];
  /** PEM of the client certificate, with its key. */
  readonly cert?: string;
  readonly key?: string;
  /** Name that the server's certificate must bear, where it is not the host of the address. */
  readonly servername?: string;
  readonly isVerified?: boolean;
}

export interface HttpClientOptions {
  readonly tls?: HttpTls;
  readonly proxies?: ProxyRules;
  /** Connections to one server at a time. Default: no limit. */
  readonly maxConnections?: number;
}

export interface HttpCall {
  /** Base address, which keeps its own path and query. */
  readonly base: string;
  /** Below the base address. Default: the base address itself. */
  readonly path?: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly deadlines: Deadlines;
  readonly signal?: AbortSignal | undefined;
}

export interface WholeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * HTTP/1.1 to other servers. Never throws. An answer of any status is `ok`: a redirect is one, and is not followed, since a credential
 * must not travel to another place. Nothing is repeated here. Connections are kept and used again.
 */
export interface HttpClient {
  /** The head of an answer, with its body while it arrives. `maxBodyBytes` bounds the body. */
  open(call: HttpCall & { readonly maxBodyBytes?: number }): Promise<HttpResult<HttpAnswer>>;
  /** A whole answer of at most `maxBodyBytes`, which are counted before they are kept. */
  request(call: HttpCall & { readonly maxBodyBytes: number }): Promise<HttpResult<WholeAnswer>>;
  /** Ends every connection, those in use included. */
  close(): void;
}

/** A connection in the making ends after this time even if no call waits for it any more. */
const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 30_000;
const MAX_HEADER_BYTES = 16_384;

export function createHttpClient(options: HttpClientOptions = {}): HttpClient {
  const pools = createPools(options);
  const client: HttpClient = {
    async open(call) {
      const url = addressOf(call);
      if (url === undefined)
        return httpFailure({
          reason: 'invalid-call',
          sent: false,
          host: 'a server',
          expected: 'an HTTP address of a server',
          found: 'another text',
        });
      const { dispatcher, isProxied } = pools.poolFor(url);
      const { deadlines, signal, maxBodyBytes } = call;
      const exchange = new Exchange({ host: url.host, proxied: isProxied }, { deadlines, signal, maxBodyBytes });
      if (!exchange.isEnded) send(dispatcher, url, call, exchange);
      return await exchange.opened;
    },
    async request(call) {
      const opened = await client.open(call);
      return opened.kind === 'failure' ? opened : await readWhole(opened.value);
    },
    close: () => pools.destroy(),
  };
  return client;
}

function addressOf(call: HttpCall): URL | undefined {
  try {
    const url = call.path === undefined ? new URL(call.base) : joinBasePath(call.base, call.path);
    for (const [name, value] of Object.entries(call.query ?? {}))
      if (value !== undefined) url.searchParams.set(name, value);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
  } catch {
    return undefined;
  }
}

function send(dispatcher: Dispatcher, url: URL, call: HttpCall, exchange: Exchange): void {
  try {
    dispatcher.dispatch(
      {
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: call.method,
        headers: { ...basicOf(url), ...call.headers },
        body: call.body ?? null,
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      exchange,
    );
  } catch (error: unknown) {
    exchange.broke(error);
  }
}

/** Credentials in an address go into a header, as with every HTTP client for machines. */
function basicOf({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair, 'utf8').toString('base64')}` };
}

async function readWhole(answer: HttpAnswer): Promise<HttpResult<WholeAnswer>> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of answer.body as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch (error: unknown) {
    if (error instanceof BrokenBodyError) return error.failure;
    throw error;
  }
  const { status, headers } = answer;
  return { kind: 'ok', value: { status, headers, text: Buffer.concat(chunks).toString('utf8') } };
}

interface Pools {
  poolFor(url: URL): { readonly dispatcher: Dispatcher; readonly isProxied: boolean };
  destroy(): void;
}

function createPools({ tls = {}, proxies = {}, maxConnections }: HttpClientOptions): Pools {
  const connect = {
    ...(tls.ca === undefined ? {} : { ca: [...tls.ca] }),
    ...(tls.cert === undefined ? {} : { cert: tls.cert }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
    ...(tls.servername === undefined ? {} : { servername: tls.servername }),
    // Set even when it is the default, or NODE_TLS_REJECT_UNAUTHORIZED would switch verification off for the whole process.
    rejectUnauthorized: tls.isVerified ?? true,
    timeout: CONNECT_TIMEOUT_MS,
  };
  const shared = {
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    ...(maxConnections === undefined ? {} : { connections: maxConnections }),
  };
  const direct = new Agent({ ...shared, connect });
  const proxied = new Map<string, ProxyAgent>();
  function proxyAgent(uri: string): ProxyAgent {
    const known = proxied.get(uri);
    if (known !== undefined) return known;
    const made = new ProxyAgent({
      ...shared,
      uri,
      requestTls: connect,
      // The client certificate is for the server, not for the proxy.
      proxyTls: {
        ...(connect.ca === undefined ? {} : { ca: connect.ca }),
        rejectUnauthorized: true,
        timeout: CONNECT_TIMEOUT_MS,
      },
      // A proxy that accepts a CONNECT and never answers would hold its connection for five minutes.
      clientFactory: (origin, options) => new Pool(origin, { ...options, headersTimeout: CONNECT_TIMEOUT_MS }),
    });
    proxied.set(uri, made);
    return made;
  }
  return {
    poolFor(url) {
      const uri = proxyFor(url, proxies);
      return uri === undefined
        ? { dispatcher: direct, isProxied: false }
        : { dispatcher: proxyAgent(uri), isProxied: true };
    },
    destroy() {
      for (const each of [direct, ...proxied.values()]) void each.destroy();
    },
  };
}
