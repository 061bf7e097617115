import type { Timers } from '@hephaisto/core/ports/clock';
import type { KubeFailure, KubeRead } from '@hephaisto/core/ports/kube';
import type { FeedHandlers, FeedTarget, ObjectFeeds } from '@hephaisto/core/ports/object-feed';
import type { Logger } from '@hephaisto/core/ports/telemetry';
import type { KubeConnection } from './connection.ts';
import { resourcePath } from './resource-path.ts';
import { readListPage, readWatchLine } from './watch-line.ts';

export interface ListWatchOptions {
  readonly connection: KubeConnection;
  readonly timers: Timers;
  readonly log: Logger;
  /** 0…1; spreads reconnections, or all watches of all replicas come back at once. */
  readonly random: () => number;
  readonly pageSize: number;
  /** Silence after which a watch is taken for dead. Servers send a bookmark about once a minute. */
  readonly idleMs: number;
  readonly backoff: { readonly firstMs: number; readonly longestMs: number };
}

/** The server ends watches by itself after about this long, so that connections spread over its replicas. */
const WATCH_SECONDS = 300;

/** Ends of a watch after which its version is worth nothing: history is gone, or what was read cannot be trusted. */
const LOST_PLACE: ReadonlySet<KubeFailure['reason']> = new Set(['gone', 'malformed', 'invalid']);

/** Feeds by list and watch with bookmarks. */
export function createListWatch(options: ListWatchOptions): ObjectFeeds {
  return {
    async follow(target, handlers, signal) {
      await follow(options, target, handlers, signal);
    },
  };
}

async function follow<Item>(
  options: ListWatchOptions,
  target: FeedTarget,
  handlers: FeedHandlers<Item>,
  signal: AbortSignal,
): Promise<void> {
  let version: string | undefined;
  let failures = 0;
  while (!signal.aborted) {
    if (version === undefined) {
      handlers.state({ kind: 'listing' });
      const listed = await listAll(options, target, handlers, signal);
      if (signal.aborted) return;
      if (listed.kind === 'failure') {
        failures += 1;
        await pause(options, handlers, 'list', listed, failures, signal);
        continue;
      }
      version = listed.value;
    }
    const watched = await watchOnce(options, target, handlers, version, signal);
    if (signal.aborted) return;
    if (watched.version !== version) failures = 0;
    version = watched.version;
    if (watched.end.kind === 'ok') {
      failures = 0;
      continue;
    }
    const { reason } = watched.end;
    if (watched.opened && (reason === 'cut' || reason === 'timeout')) {
      // A watch that is cut or falls silent is everyday business: it goes on where it stopped, and changes meanwhile come first.
      failures = 0;
      const shortMs = options.backoff.firstMs * options.random();
      await options.timers.sleep(shortMs, signal).catch(() => undefined);
      continue;
    }
    failures = watched.opened && !LOST_PLACE.has(reason) ? 1 : failures + 1;
    // What happened since is only found by listing again. At once: each moment longer is a moment blind.
    if (LOST_PLACE.has(reason)) version = undefined;
    if (!LOST_PLACE.has(reason) || failures > 1) {
      await pause(options, handlers, 'watch', watched.end, failures, signal);
    }
  }
}

async function pause<Item>(
  options: ListWatchOptions,
  handlers: FeedHandlers<Item>,
  verb: 'list' | 'watch',
  failure: KubeFailure,
  failures: number,
  signal: AbortSignal,
): Promise<void> {
  const forbidden = failure.reason === 'forbidden' || failure.reason === 'unauthorized';
  if (forbidden) handlers.state({ kind: 'forbidden', verb, message: failure.message });
  else handlers.state({ kind: 'failing', verb, failure });
  const { firstMs, longestMs } = options.backoff;
  const plain = Math.min(longestMs, firstMs * 2 ** Math.min(20, failures - 1));
  const waitMs = Math.max(plain * (0.5 + options.random()), (failure.retryAfterSeconds ?? 0) * 1000);
  await options.timers.sleep(waitMs, signal).catch(() => undefined);
}

/** Lists in pages and hands the whole over at once; its version is that of the list. */
async function listAll<Item>(
  options: ListWatchOptions,
  target: FeedTarget,
  handlers: FeedHandlers<Item>,
  signal: AbortSignal,
): Promise<KubeRead<string>> {
  const path = resourcePath(target.apiVersion, target.resource, target.namespace, '');
  const items: Item[] = [];
  let cursor: string | undefined;
  for (;;) {
    const answer = await options.connection.request({
      method: 'GET',
      path,
      query: { limit: String(options.pageSize), continue: cursor },
      signal,
    });
    if (answer.kind === 'failure') return answer;
    handlers.heard();
    const page = readListPage(answer.value.text);
    if (page === undefined) {
      return {
        kind: 'failure',
        reason: 'malformed',
        message: `expected a list of ${target.resource}, found something else`,
      };
    }
    for (const object of page.items) {
      const item = handlers.project(object);
      if (item !== undefined) items.push(item);
    }
    cursor = page.cursor;
    if (cursor === undefined) {
      handlers.replaced(items);
      return { kind: 'ok', value: page.version };
    }
  }
}

interface Watched {
  readonly version: string;
  /** The server took the request. */
  readonly opened: boolean;
  readonly end: KubeRead<'ended'>;
}

async function watchOnce<Item>(
  options: ListWatchOptions,
  target: FeedTarget,
  handlers: FeedHandlers<Item>,
  from: string,
  signal: AbortSignal,
): Promise<Watched> {
  let version = from;
  let opened = false;
  let broken: KubeFailure | undefined;
  const stop = new AbortController();
  const end = await options.connection.stream(
    {
      method: 'GET',
      path: resourcePath(target.apiVersion, target.resource, target.namespace, ''),
      query: {
        watch: 'true',
        allowWatchBookmarks: 'true',
        resourceVersion: from,
        timeoutSeconds: String(WATCH_SECONDS + Math.floor(options.random() * 60)),
      },
      timeoutMs: options.idleMs,
      signal: AbortSignal.any([signal, stop.signal]),
    },
    (text) => {
      if (broken !== undefined) return;
      const line = readWatchLine(text);
      if (line.kind === 'broken') {
        broken = line.failure;
        stop.abort();
        return;
      }
      handlers.heard();
      if (line.kind === 'change') {
        const item = handlers.project(line.object);
        if (item !== undefined) handlers.changed(line.change, item);
      }
      version = line.version;
    },
    () => {
      opened = true;
      handlers.heard();
      handlers.state({ kind: 'watching' });
    },
  );
  return { version, opened, end: broken ?? end };
}
