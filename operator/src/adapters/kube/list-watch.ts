import type { Clock, Timers } from '@hephaisto/core/ports/clock';
import type { KubeFailure, KubeRead } from '@hephaisto/core/ports/kube';
import type { FeedHandlers, FeedTarget, ObjectFeeds } from '@hephaisto/core/ports/object-feed';
import type { Logger } from '@hephaisto/core/ports/telemetry';
import { planReconnect, type ReconnectTimes } from '@hephaisto/core/stream/reconnect';
import type { KubeConnection } from './connection.ts';
import { resourcePath } from './resource-path.ts';
import { readListPage, readWatchLine } from './watch-line.ts';

export interface ListWatchOptions {
  readonly connection: KubeConnection;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
  /** 0…1; spreads reconnections, or all watches of all replicas come back at once. */
  readonly random: () => number;
  readonly pageSize: number;
  /** Silence after which a watch is taken for dead. Servers send a bookmark about once a minute. */
  readonly idleMs: number;
  readonly backoff: ReconnectTimes;
}

/** The server ends watches by itself after about this long, so that connections spread over its replicas. */
const WATCH_SECONDS = 300;

/** Ends of a watch after which its version is worth nothing: history is gone, or what was read cannot be trusted. */
const LOST_PLACE: ReadonlySet<KubeFailure['reason']> = new Set(['gone', 'malformed', 'invalid']);

/** So many watches in a row that ended soon after they were opened are more than chance. */
const SHORT_LIVES_TO_REPORT = 3;

const ENDS_AT_ONCE: KubeFailure = {
  kind: 'failure',
  reason: 'cut',
  message: 'the server ends each watch soon after it was opened',
};

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
  const { clock } = options;
  let version: string | undefined;
  let shortLives = 0;
  const plan = (livedMs: number): number => {
    const next = planReconnect({ shortLives, livedMs, random: options.random() }, options.backoff);
    shortLives = next.shortLives;
    return next.pauseMs;
  };
  while (!signal.aborted) {
    if (version === undefined) {
      handlers.state({ kind: 'listing' });
      const listed = await listAll(options, target, handlers, signal);
      if (signal.aborted) return;
      if (listed.kind === 'failure') {
        await pause(options, handlers, { verb: 'list', failure: listed, waitMs: plan(0) }, signal);
        continue;
      }
      version = listed.value;
    }
    const openedAt = clock.monotonicMs();
    const watched = await watchOnce(options, target, handlers, version, signal);
    if (signal.aborted) return;
    version = watched.version;
    const waitMs = plan(watched.opened ? clock.monotonicMs() - openedAt : 0);
    const { end } = watched;
    if (end.kind === 'failure' && LOST_PLACE.has(end.reason)) {
      version = undefined;
      // What happened since is only found by listing again. At once: each moment longer is a moment blind.
      if (shortLives <= 1) continue;
    }
    const everyday = end.kind === 'ok' || (watched.opened && (end.reason === 'cut' || end.reason === 'timeout'));
    // An ended, cut or silent watch goes on where it stopped, and the changes that it missed come first. Only a watch that keeps ending is
    // reported as failing.
    if (everyday && shortLives < SHORT_LIVES_TO_REPORT) {
      await options.timers.sleep(waitMs, signal).catch(() => undefined);
      continue;
    }
    const failure = end.kind === 'ok' ? ENDS_AT_ONCE : end;
    await pause(options, handlers, { verb: 'watch', failure, waitMs }, signal);
  }
}

async function pause<Item>(
  options: ListWatchOptions,
  handlers: FeedHandlers<Item>,
  trouble: { readonly verb: 'list' | 'watch'; readonly failure: KubeFailure; readonly waitMs: number },
  signal: AbortSignal,
): Promise<void> {
  const { verb, failure } = trouble;
  const forbidden = failure.reason === 'forbidden' || failure.reason === 'unauthorized';
  if (forbidden) handlers.state({ kind: 'forbidden', verb, message: failure.message });
  else handlers.state({ kind: 'failing', verb, failure });
  const waitMs = Math.max(trouble.waitMs, (failure.retryAfterSeconds ?? 0) * 1000);
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
