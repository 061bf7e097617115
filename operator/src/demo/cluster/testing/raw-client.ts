import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { joinBasePath } from '@hephaisto/core/base-path';
import { createIds } from '../../../adapters/ids/ids.ts';
import {
  ADMIN,
  type SimulatedCluster,
  type SimulatedClusterOptions,
  startSimulatedCluster,
} from '../simulated-cluster.ts';

/** What came back, with the body parsed where it is JSON. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests read deep into answers of every kind
  readonly body: any;
}

export interface RawCall {
  readonly body?: unknown;
  readonly type?: string;
  readonly accept?: string;
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RawWatch {
  /** The next line, parsed. Rejects when the stream ends or breaks first. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  next(): Promise<any>;
  /** How the stream ended: in good order or broken, and what was left of an unfinished line. */
  ended(): Promise<{ readonly how: 'ended' | 'broken'; readonly rest: string }>;
  close(): void;
}

/** HTTPS without any Kubernetes client in between, as the admin unless told otherwise. */
export function rawClient(cluster: SimulatedCluster) {
  const agent = new Agent({ ca: cluster.caPem, keepAlive: true, maxSockets: 20 });
  const admin = cluster.mintToken(ADMIN);

  function send(method: string, path: string, call: RawCall): Promise<IncomingMessage> {
    const token = call.token === undefined ? admin : call.token;
    const text = typeof call.body === 'string' ? call.body : JSON.stringify(call.body);
    const headers: Record<string, string> = { ...call.headers };
    if (token !== null) headers.authorization = `Bearer ${token}`;
    if (call.accept) headers.accept = call.accept;
    if (call.body !== undefined) {
      headers['content-type'] = call.type ?? 'application/json';
      // Node sends the body of a DELETE without any framing unless it is told the length.
      headers['content-length'] = String(Buffer.byteLength(text ?? ''));
    }
    const options: RequestOptions = { method, agent, headers };
    return new Promise((resolve, reject) => {
      request(joinBasePath(cluster.url, path), options, resolve)
        .on('error', reject)
        .end(call.body === undefined ? undefined : text);
    });
  }

  async function ask(method: string, path: string, call: RawCall = {}): Promise<RawAnswer> {
    const response = await send(method, path, call);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: parsed(text),
    };
  }

  async function watch(path: string, call: RawCall = {}): Promise<RawWatch> {
    return readLines(await send('GET', path, call));
  }

  return {
    ask,
    watch,
    get: (path: string, call?: RawCall) => ask('GET', path, call),
    post: (path: string, body: unknown, call?: RawCall) => ask('POST', path, { ...call, body }),
    put: (path: string, body: unknown, call?: RawCall) => ask('PUT', path, { ...call, body }),
    delete: (path: string, body?: unknown, call?: RawCall) => ask('DELETE', path, { ...call, body }),
    patch: (path: string, body: unknown, call?: RawCall) =>
      ask('PATCH', path, { type: 'application/json-patch+json', ...call, body }),
    close: () => agent.destroy(),
  };
}

export type RawClient = ReturnType<typeof rawClient>;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function readLines(response: IncomingMessage): RawWatch {
  const lines: string[] = [];
  const waiting: { resolve: (line: string) => void; reject: (error: Error) => void }[] = [];
  const over = Promise.withResolvers<{ how: 'ended' | 'broken'; rest: string }>();
  let rest = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) {
      const next = waiting.shift();
      if (next) next.resolve(line);
      else lines.push(line);
    }
  });
  // A broken stream says so by an error, and then closes like any other.
  response.on('error', () => undefined);
  response.once('close', () => {
    over.resolve({ how: response.complete ? 'ended' : 'broken', rest });
    for (const { reject } of waiting) reject(new Error('the watch is over'));
  });
  return {
    async next() {
      const line = lines.shift() ?? (await new Promise<string>((resolve, reject) => waiting.push({ resolve, reject })));
      return JSON.parse(line);
    },
    ended: () => over.promise,
    close: () => void response.destroy(),
  };
}

/** A cluster with the namespace `shop` and a client of it, for the length of `use`. */
export async function withCluster(
  use: (client: RawClient, cluster: SimulatedCluster) => Promise<void>,
  options: Partial<SimulatedClusterOptions> = {},
): Promise<void> {
  const now = options.now ?? (() => new Date());
  const cluster = await startSimulatedCluster({ ids: createIds({ now }), ...options, now });
  const client = rawClient(cluster);
  try {
    await client.post('/api/v1/namespaces', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'shop' } });
    await use(client, cluster);
  } finally {
    client.close();
    await cluster.close();
  }
}

export function podManifest(name: string, more: { labels?: object; spec?: object } = {}) {
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name, labels: { app: 'web', ...more.labels } },
    spec: { containers: [{ name: 'app', image: 'web:1' }], ...more.spec },
  };
}

export function deploymentManifest(name: string, spec: object = {}, container: object = {}) {
  return {
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    metadata: { name },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'app', image: 'web:1', ...container }] },
      },
      ...spec,
    },
  };
}

export const POD_PATH = '/api/v1/namespaces/shop/pods';
export const DEPLOYMENT_PATH = '/apis/apps/v1/namespaces/shop/deployments';
