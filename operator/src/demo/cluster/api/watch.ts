import type { Timers } from '@hephaisto/core/ports/clock';
import { forbiddenField, invalidObject, unsupported } from '../admission/field-error.ts';
import type { KubeObject } from '../object.ts';
import { StoreError, type StoreEvent } from '../store.ts';
import { storedType, toServed } from './event-forms.ts';
import type { Exchange, WatchHub } from './exchange.ts';
import { unparsable } from './list.ts';
import { acceptedRendering, tableType } from './render.ts';
import { isTrue, type RequestInfo } from './request-info.ts';
import { groupVersion } from './resources.ts';
import { selectionOf } from './selection.ts';
import { objectJson } from './serialize.ts';
import { ApiError, fromStoreError, statusObject } from './status.ts';
import { metadataOnly, tableJson } from './tables.ts';
import { openStream, type WatchStream } from './watch-stream.ts';

type EventType = StoreEvent['type'];

interface OpenWatch {
  readonly info: RequestInfo;
  readonly stream: WatchStream;
  readonly bookmark: (() => void) | undefined;
}

const DEFAULT_TIMEOUT_SECONDS = 1800;

export function createWatchHub(options: { timers: Timers; bookmarkMilliseconds: number }): WatchHub {
  const { timers, bookmarkMilliseconds } = options;
  const watches = new Set<OpenWatch>();
  let cancelBookmarks: (() => void) | undefined;

  // One timer for all, and none while nobody watches.
  function keepBookmarking(): void {
    cancelBookmarks ??= timers.after(bookmarkMilliseconds, () => {
      cancelBookmarks = undefined;
      for (const watch of watches) watch.bookmark?.();
      if (watches.size > 0) keepBookmarking();
    });
  }

  function serve(exchange: Exchange): void {
    const { context, response, query, info } = exchange;
    const writer = lineWriter(exchange);
    const selection = selectionOf(exchange);
    const type = storedType(exchange.resource);
    const bookmarks = isTrue(query.get('allowWatchBookmarks'));
    const begin = beginning(exchange, selection.test);
    const stream = openStream(response, exchange.cutAfter);
    exchange.started(200);
    if (begin.kind === 'expired') {
      stream.send(writer.failure(begin.error));
      stream.end();
      return;
    }
    const send = (event: StoreEvent) => {
      const seen = asSeen(event, selection.test);
      if (seen && Number(event.object.metadata.resourceVersion) > begin.after)
        stream.send(writer.event(seen.type, seen.object));
    };
    for (const object of begin.existing) stream.send(writer.event('ADDED', object));
    if (begin.announceEnd) stream.send(writer.bookmark(context.store.revision(), true));
    for (const event of begin.missed) send(event);
    const unsubscribe = context.store.subscribe(type, send);
    const bookmark = bookmarks ? () => stream.send(writer.bookmark(context.store.revision(), false)) : undefined;
    const watch = { info, stream, bookmark };
    watches.add(watch);
    if (bookmarks) keepBookmarking();
    const seconds = Number(query.get('timeoutSeconds') || DEFAULT_TIMEOUT_SECONDS);
    const cancelTimeout = timers.after(seconds * 1000, () => {
      bookmark?.();
      stream.end();
    });
    stream.onGone(() => {
      unsubscribe();
      cancelTimeout();
      watches.delete(watch);
      if (watches.size === 0) {
        cancelBookmarks?.();
        cancelBookmarks = undefined;
      }
    });
  }

  function each(matches: (info: RequestInfo) => boolean, act: (watch: OpenWatch) => void): number {
    const chosen = [...watches].filter(({ info }) => matches(info));
    chosen.forEach(act);
    return chosen.length;
  }

  return {
    serve,
    open: () => watches.size,
    expire: (matches) =>
      each(matches, ({ stream }) => {
        stream.send(
          `${JSON.stringify({ type: 'ERROR', object: statusObject(fromStoreError(tooOld(), NO_TYPE, '')) })}\n`,
        );
        stream.end();
      }),
    cut: (matches) => each(matches, ({ stream }) => stream.cut('{"type":"MODIFIED","object":{"kind":"P')),
    close: () =>
      void each(
        () => true,
        ({ stream }) => stream.end(),
      ),
  };
}

const NO_TYPE = { group: '', resource: '' };

function tooOld(): StoreError {
  return new StoreError('Expired', 'The resourceVersion for the provided watch is too old.');
}

type Beginning =
  | { readonly kind: 'expired'; readonly error: ApiError }
  | {
      readonly kind: 'ready';
      readonly existing: readonly KubeObject[];
      readonly announceEnd: boolean;
      readonly missed: readonly StoreEvent[];
      /** Nothing up to here is told, not even what happens yet: a revision that has not been is waited for, as by the API server. */
      readonly after: number;
    };

/** Where the watch starts: at everything there is, or after a revision. */
function beginning(exchange: Exchange, test: (object: KubeObject) => boolean): Beginning {
  const { context, query, resource } = exchange;
  const asked = query.get('resourceVersion') ?? '';
  const type = storedType(resource);
  const initial = isTrue(query.get('sendInitialEvents'));
  if (initial) requireNotOlder(query.get('resourceVersionMatch') ?? '');
  if (initial || asked === '' || asked === '0') {
    return {
      kind: 'ready',
      existing: context.store.list(type).filter(test),
      announceEnd: initial,
      missed: [],
      after: 0,
    };
  }
  const revision = Number(asked);
  if (!Number.isInteger(revision)) throw new ApiError(500, '', unparsable(asked));
  try {
    const missed = context.store.since(type, revision);
    return { kind: 'ready', existing: [], announceEnd: false, missed, after: revision };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const refusal = fromStoreError(error, resource, '');
    if (context.expiredWatch === 'status') throw refusal;
    return { kind: 'expired', error: refusal };
  }
}

function requireNotOlder(match: string): void {
  if (match === 'NotOlderThan') return;
  const field = 'resourceVersionMatch';
  const why = 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
  throw invalidObject('ListOptions', 'meta.k8s.io', '', [
    forbiddenField(field, why),
    ...(match === '' ? [] : [unsupported(field, match, ['NotOlderThan'])]),
  ]);
}

/** An event as a watcher with a selector lives it: what enters the selection is added, what leaves it is deleted. */
function asSeen(
  event: StoreEvent,
  test: (object: KubeObject) => boolean,
): { type: EventType; object: KubeObject } | undefined {
  const { type, object, previous } = event;
  if (type !== 'MODIFIED' || !previous) return test(object) ? { type, object } : undefined;
  const [before, after] = [test(previous), test(object)];
  if (after) return { type: before ? 'MODIFIED' : 'ADDED', object };
  if (!before) return undefined;
  // The last state that was in the selection, at the revision at which it left.
  const { resourceVersion } = object.metadata;
  const metadata = { ...previous.metadata, ...(resourceVersion ? { resourceVersion } : {}) };
  return { type: 'DELETED', object: { ...previous, metadata } };
}

interface LineWriter {
  event(type: EventType, stored: KubeObject): string;
  bookmark(revision: number, initialEventsEnd: boolean): string;
  failure(error: ApiError): string;
}

function lineWriter(exchange: Exchange): LineWriter {
  const { resource, context } = exchange;
  const rendering = acceptedRendering(exchange);
  let first = true;

  function body(stored: KubeObject): string {
    if (rendering.kind === 'object') return objectJson(toServed(resource, stored));
    if (rendering.kind === 'metadata') return objectJson(metadataOnly(stored));
    return table([stored], stored.metadata.resourceVersion);
  }

  function table(rows: readonly KubeObject[], resourceVersion: string | undefined): string {
    const include = rendering.kind === 'table' ? rendering.include : 'Metadata';
    const source = { type: tableType(exchange), include, now: context.now() };
    const text = tableJson(source, rows, { resourceVersion }, first);
    first = false;
    return text;
  }

  function bookmarkBody(revision: number, initialEventsEnd: boolean): string {
    const resourceVersion = String(revision);
    if (rendering.kind === 'table') return table([], resourceVersion);
    const annotations = initialEventsEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
    const metadata = { resourceVersion, ...annotations };
    return JSON.stringify({ kind: resource.kind, apiVersion: groupVersion(resource), metadata });
  }

  return {
    event: (type, stored) => `{"type":"${type}","object":${body(stored)}}\n`,
    bookmark: (revision, end) => `{"type":"BOOKMARK","object":${bookmarkBody(revision, end)}}\n`,
    failure: (error) => `${JSON.stringify({ type: 'ERROR', object: statusObject(error) })}\n`,
  };
}
