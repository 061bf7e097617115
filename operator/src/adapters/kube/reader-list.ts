import { type Raw, recordAt, recordsAt, textAt } from '@hephaisto/core/facts/raw';
import type { KubeFailure, KubeRead } from '@hephaisto/core/ports/kube';
import type { KubeConnection } from './connection.ts';

/** Bounds of a single question. A list that would exceed them is a failure that says so, never a silently shortened answer. */
export interface ReadLimits {
  readonly timeoutMs: number;
  /** Bytes of one response. */
  readonly maxBytes: number;
  readonly pageSize: number;
  /** Items of one list over all pages. */
  readonly maxItems: number;
  readonly signal?: AbortSignal;
}

export const READ_LIMITS: ReadLimits = { timeoutMs: 5_000, maxBytes: 16 * 2 ** 20, pageSize: 500, maxItems: 20_000 };

/** GET of one JSON object. */
export async function readObject(
  connection: KubeConnection,
  path: string,
  query: Readonly<Record<string, string | undefined>>,
  limits: ReadLimits,
): Promise<KubeRead<Raw>> {
  const answer = await connection.request({
    method: 'GET',
    path,
    query,
    headers: { accept: 'application/json' },
    timeoutMs: limits.timeoutMs,
    maxBytes: limits.maxBytes,
    ...(limits.signal === undefined ? {} : { signal: limits.signal }),
  });
  if (answer.kind === 'failure') return answer;
  return parseObject(answer.value.text);
}

/** All items of a collection, page by page. A continue token that expired on the way starts the list again, once. */
export async function readList(
  connection: KubeConnection,
  path: string,
  query: Readonly<Record<string, string | undefined>>,
  limits: ReadLimits,
): Promise<KubeRead<readonly Raw[]>> {
  const first = await readPages(connection, path, query, limits);
  if (first.kind === 'failure' && first.reason === 'gone') return readPages(connection, path, query, limits);
  return first;
}

async function readPages(
  connection: KubeConnection,
  path: string,
  query: Readonly<Record<string, string | undefined>>,
  limits: ReadLimits,
): Promise<KubeRead<readonly Raw[]>> {
  const items: Raw[] = [];
  let token: string | undefined;
  do {
    // Pages are asked one after the other because each names the next.
    const page = await readObject(
      connection,
      path,
      { ...query, limit: String(limits.pageSize), continue: token },
      limits,
    );
    if (page.kind === 'failure') return page;
    if (!Array.isArray(page.value.items)) return malformed('expected a list, found an object without `items`');
    items.push(...recordsAt(page.value, 'items'));
    if (items.length > limits.maxItems) {
      return malformed(`expected at most ${limits.maxItems} objects at ${path}, found more; narrow the question`);
    }
    token = textAt(recordAt(page.value, 'metadata'), 'continue') || undefined;
  } while (token !== undefined);
  return { kind: 'ok', value: items };
}

function parseObject(text: string): KubeRead<Raw> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { kind: 'ok', value: value as Raw };
    return malformed('expected a JSON object from the API server, found another value');
  } catch {
    return malformed('expected JSON from the API server, found something else');
  }
}

export function malformed(message: string): KubeFailure {
  return { kind: 'failure', reason: 'malformed', message };
}

/** Applies a projection to an answer, and passes a failure on. */
export function mapRead<From, To>(read: KubeRead<From>, project: (value: From) => To): KubeRead<To> {
  return read.kind === 'failure' ? read : { kind: 'ok', value: project(read.value) };
}
