import http from 'node:http';
import https from 'node:https';
import { joinBasePath } from '@hephaisto/core/base-path';
import { PRODUCT } from '@hephaisto/core/names';
import type { KubeFailure, KubeRead } from '@hephaisto/core/ports/kube';
import type { Logger } from '@hephaisto/core/ports/telemetry';
import { type Access, type AccessOptions, type Dress, openAccess } from './access.ts';
import { classifyAnswer } from './classify.ts';
import { type Exchange, exchange, type Opened, readLines, readWhole } from './transport.ts';

export interface KubeCall {
  readonly method: string;
  /** From the server's root, e.g. `/api/v1/pods`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For a request: longest time in all. For a stream: longest silence. */
  readonly timeoutMs?: number;
  /** For a request: of the answer. For a stream: of one line. Default 64 MiB. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

export interface KubeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * One API server under one identity. Never throws: anything but a 2xx answer is a `KubeFailure`. Nothing is retried here, except
 * a GET that met a pooled connection which the server had closed meanwhile.
 */
export interface KubeConnection {
  readonly server: string;
  request(call: KubeCall): Promise<KubeRead<KubeAnswer>>;
  /**
   * Calls back for each complete line of the answer, and before them once when the server has accepted the request; `ended` when the
   * server closed the stream in good order.
   */
  stream(call: KubeCall, onLine: (line: string) => void, onOpen?: () => void): Promise<KubeRead<'ended'>>;
  close(): void;
}

export interface KubeConnectionOptions extends AccessOptions {
  readonly defaultTimeoutMs: number;
  readonly log: Logger;
}

const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;

/**
 * Opens exactly the cluster that the options name; the surrounding environment is never asked. Credentials are read anew for each
 * request, so tokens and certificates renewed on disk are picked up. Throws when the configuration cannot be read or names no server.
 */
export async function openKubeConnection(options: KubeConnectionOptions): Promise<KubeConnection> {
  const access = await openAccess(options);
  const { server } = access;
  const credentials = createCredentials(access);

  async function open(call: KubeCall, streaming: boolean): Promise<Opened> {
    const limit = call.timeoutMs ?? options.defaultTimeoutMs;
    let dressed: Exchange;
    try {
      const identity = await credentials.current();
      dressed = {
        url: urlOf(server, call),
        method: call.method,
        headers: { accept: 'application/json', 'user-agent': PRODUCT, ...identity.headers, ...call.headers },
        body: call.body,
        agent: identity.agent,
        auth: identity.auth,
        idleMs: limit,
        totalMs: streaming ? undefined : limit,
        signal: call.signal,
      };
    } catch (error: unknown) {
      options.log.warn('cluster credentials could not be read', { error });
      return { kind: 'failure', reason: 'unsent', message: error instanceof Error ? error.message : String(error) };
    }
    return await exchange(dressed);
  }

  async function once(call: KubeCall): Promise<KubeRead<KubeAnswer>> {
    const opened = await open(call, false);
    if (opened.kind === 'failure') return opened;
    const whole = await readWhole(opened.answer, opened.over, call.maxBytes ?? DEFAULT_MAX_BYTES);
    if (whole.kind === 'failure') return whole;
    return judge(opened.answer, whole.value);
  }

  return {
    server,
    async request(call) {
      const first = await once(call);
      const stale =
        first.kind === 'failure' && first.reason === 'cut' && /ECONNRESET|socket hang up/.test(first.message);
      return stale && call.method === 'GET' && call.signal?.aborted !== true ? await once(call) : first;
    },
    async stream(call, onLine, onOpen) {
      const opened = await open(call, true);
      if (opened.kind === 'failure') return opened;
      if (isSuccess(opened.answer)) {
        onOpen?.();
        return await readLines(opened.answer, opened.over, call.maxBytes ?? DEFAULT_MAX_BYTES, onLine);
      }
      const whole = await readWhole(opened.answer, opened.over, 64 * 1024);
      return whole.kind === 'failure' ? whole : refused(opened.answer, whole.value);
    },
    close: () => credentials.close(),
  };
}

interface Identity {
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: string | undefined;
  readonly agent: http.Agent | https.Agent;
}

interface Credentials {
  current(): Promise<Identity>;
  close(): void;
}

function createCredentials(access: Access): Credentials {
  const secure = access.server.startsWith('https:');
  let agent: http.Agent | https.Agent | undefined;
  let agentKey = '';
  function agentFor({ tls, proxied }: Dress): http.Agent | https.Agent {
    if (proxied && tls.agent instanceof http.Agent) return tls.agent;
    const key = [tls.ca, tls.cert, tls.key, tls.servername, tls.rejectUnauthorized].map(String).join('\n');
    if (agent !== undefined && key === agentKey) return agent;
    agent?.destroy();
    agentKey = key;
    // Said outright, or the environment could switch verification off for the whole process.
    const verified = { keepAlive: true, rejectUnauthorized: tls.rejectUnauthorized ?? true };
    agent = secure
      ? new https.Agent({
          ...verified,
          ...(tls.ca === undefined ? {} : { ca: tls.ca }),
          ...(tls.cert === undefined ? {} : { cert: tls.cert }),
          ...(tls.key === undefined ? {} : { key: tls.key }),
          ...(tls.servername === undefined ? {} : { servername: tls.servername }),
        })
      : new http.Agent({ keepAlive: true });
    return agent;
  }
  return {
    async current() {
      const dress = await access.dress();
      return { headers: dress.headers, auth: dress.auth, agent: agentFor(dress) };
    },
    close: () => agent?.destroy(),
  };
}

function urlOf(server: string, call: KubeCall): URL {
  const url = joinBasePath(server, call.path);
  for (const [name, value] of Object.entries(call.query ?? {}))
    if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

function isSuccess(answer: http.IncomingMessage): boolean {
  const status = answer.statusCode ?? 0;
  return status >= 200 && status < 300;
}

function judge(answer: http.IncomingMessage, text: string): KubeRead<KubeAnswer> {
  if (!isSuccess(answer)) return refused(answer, text);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return { kind: 'ok', value: { status: answer.statusCode ?? 0, headers, text } };
}

function refused(answer: http.IncomingMessage, text: string): KubeFailure {
  return classifyAnswer({ status: answer.statusCode ?? 0, text, retryAfter: answer.headers['retry-after'] });
}
