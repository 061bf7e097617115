import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { parseRequestInfo } from '../../operator/src/demo/cluster/api/request-info.ts';

/** One answer, with its body parsed where it is JSON. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly retryAfter?: string;
  readonly warning?: string;
  readonly body: unknown;
}

export interface CallOptions {
  readonly body?: unknown;
  /** The body's media type. */
  readonly type?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface WatchOptions {
  /** Ends the watch when this many lines have come. */
  readonly lines?: number;
  /** Gives up waiting after this time; what came until then is the answer. */
  readonly withinMs?: number;
  readonly accept?: string;
  /** Called as soon as the answer has begun: changes made here are seen by the watch. */
  readonly onOpen?: () => Promise<unknown>;
}

export interface Watched {
  readonly status: number;
  /** `server`: it ended in good order by itself. */
  readonly endedBy: 'server' | 'us' | 'cut';
  readonly lines: readonly unknown[];
}

/** What a request was, as coverage counts it. */
export interface Asked {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly patchType?: string | undefined;
  readonly status: number;
}

/** HTTPS as one identity, with no Kubernetes client in between. Rejects only when no answer comes. */
export interface Api {
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  get(path: string, options?: CallOptions): Promise<Answer>;
  post(path: string, body: unknown, options?: CallOptions): Promise<Answer>;
  put(path: string, body: unknown, options?: CallOptions): Promise<Answer>;
  /** A JSON Patch unless another type is named. */
  patch(path: string, body: unknown, options?: CallOptions): Promise<Answer>;
  delete(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  watch(path: string, options?: WatchOptions): Promise<Watched>;
  close(): void;
}

export const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';

export interface ApiOptions {
  readonly server: string;
  readonly caPem: string;
  /** None for nobody. */
  readonly token?: string;
  readonly onAsked?: (asked: Asked) => void;
}

export function createApi(options: ApiOptions): Api {
  const agent = new Agent({ ca: options.caPem, keepAlive: true, maxSockets: 32 });

  function note(method: string, path: string, type: string | undefined, status: number): void {
    const [plain = path, query = ''] = path.split('?');
    const info = parseRequestInfo(method, plain, new URLSearchParams(query));
    if (!info.isResource) return;
    const { verb, group, resource, subresource } = info;
    options.onAsked?.({ verb, group, resource, subresource, ...(verb === 'patch' ? { patchType: type } : {}), status });
  }

  function send(method: string, path: string, call: CallOptions): Promise<IncomingMessage> {
    const text = typeof call.body === 'string' ? call.body : JSON.stringify(call.body);
    const headers: Record<string, string> = { 'user-agent': 'contract', ...call.headers };
    if (options.token !== undefined) headers.authorization = `Bearer ${options.token}`;
    if (call.accept !== undefined) headers.accept = call.accept;
    if (call.body !== undefined) {
      headers['content-type'] = call.type ?? 'application/json';
      headers['content-length'] = String(Buffer.byteLength(text));
    }
    return new Promise((resolve, reject) => {
      request(new URL(path, options.server), { method, agent, headers, timeout: 60_000 }, (response) => {
        note(method, path, call.type, response.statusCode ?? 0);
        resolve(response);
      })
        .on('error', reject)
        .end(call.body === undefined ? undefined : text);
    });
  }

  async function call(method: string, path: string, given: CallOptions = {}): Promise<Answer> {
    const response = await send(method, path, given);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const { 'content-type': contentType = '', 'retry-after': retryAfter, warning } = response.headers;
    return {
      status: response.statusCode ?? 0,
      contentType,
      ...(retryAfter === undefined ? {} : { retryAfter }),
      ...(typeof warning === 'string' ? { warning } : {}),
      body: parsed(Buffer.concat(chunks).toString('utf8')),
    };
  }

  return {
    call,
    get: (path, given) => call('GET', path, given),
    post: (path, body, given) => call('POST', path, { ...given, body }),
    put: (path, body, given) => call('PUT', path, { ...given, body }),
    patch: (path, body, given) => call('PATCH', path, { type: JSON_PATCH, ...given, body }),
    delete: (path, body, given) => call('DELETE', path, body === undefined ? { ...given } : { ...given, body }),
    async watch(path, given = {}) {
      const response = await send('GET', path, given.accept === undefined ? {} : { accept: given.accept });
      return readWatch(response, given);
    },
    close: () => agent.destroy(),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function readWatch(response: IncomingMessage, options: WatchOptions): Promise<Watched> {
  const { promise, resolve, reject } = Promise.withResolvers<Watched>();
  const lines: unknown[] = [];
  let rest = '';
  let over = false;
  const end = (endedBy: Watched['endedBy']) => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    if (rest !== '') lines.push(parsed(rest));
    resolve({ status: response.statusCode ?? 0, endedBy, lines: lines.slice(0, options.lines ?? lines.length) });
    response.destroy();
  };
  const timer = setTimeout(() => end('us'), options.withinMs ?? 10_000);
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts.filter((part) => part !== '').map(parsed));
    if (options.lines !== undefined && lines.length >= options.lines) end('us');
  });
  response.on('error', () => end('cut'));
  response.on('close', () => end(response.complete ? 'server' : 'cut'));
  options.onOpen?.().catch(reject);
  return promise;
}
