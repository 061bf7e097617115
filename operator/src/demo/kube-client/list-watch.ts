import { planReconnect } from '@hephaisto/core/stream/reconnect';
import type { KubeObject } from '../cluster/object.ts';
import type { Pace } from '../pace.ts';
import type { KubeClient, Selectors, WatchEvent } from './kube-client.ts';
import { isKubeCode, KubeApiError } from './kube-error.ts';
import type { ResourceType } from './resource.ts';

export interface ListWatchOptions extends Selectors {
  readonly namespace?: string;
  readonly pace: Pace;
  readonly signal: AbortSignal;
}

/**
 * What a list-watch reports. `onPut` comes for every object listed or changed, `onGone` once for each that is no longer
 * there, a deletion missed between two connections included. Neither may throw.
 */
export interface ListWatchHandler<T extends KubeObject> {
  onPut(object: T): void;
  onGone(object: T): void;
  /** After each complete list, first and later ones. */
  onSynced?(): void;
  /** A list or watch that failed and will be tried again. */
  onTrouble?(error: unknown): void;
}

const RECONNECT = { firstMs: 20, longestMs: 2_000, minimumLifeMs: 5_000 };

function keyOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}

function applyEvent<T extends KubeObject>(
  event: WatchEvent<T>,
  known: Map<string, T>,
  handler: ListWatchHandler<T>,
): string | undefined {
  if (event.type === 'ERROR') {
    throw new KubeApiError(
      event.object.code ?? 500,
      'WatchError',
      event.object.message ?? 'the watch ended with an error',
    );
  }
  if (event.type === 'DELETED') {
    known.delete(keyOf(event.object));
    handler.onGone(event.object);
  } else if (event.type !== 'BOOKMARK') {
    known.set(keyOf(event.object), event.object);
    handler.onPut(event.object);
  }
  return event.object.metadata.resourceVersion;
}

/** Compares by uid, so that an object deleted and created anew under one name is first reported gone. */
function applyList<T extends KubeObject>(
  items: readonly T[],
  known: Map<string, T>,
  handler: ListWatchHandler<T>,
): void {
  const fresh = new Map(items.map((item) => [keyOf(item), item]));
  for (const [key, old] of known) {
    if (fresh.get(key)?.metadata.uid === old.metadata.uid) continue;
    known.delete(key);
    handler.onGone(old);
  }
  for (const [key, item] of fresh) {
    known.set(key, item);
    handler.onPut(item);
  }
  handler.onSynced?.();
}

/**
 * Lists, then watches from there until the signal aborts, then resolves. A watch that is cut goes on from the last
 * resourceVersion seen (bookmarks count); one that the server no longer can serve (410) starts with a new list.
 */
export async function listWatch<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType<T>,
  handler: ListWatchHandler<T>,
  options: ListWatchOptions,
): Promise<void> {
  const { pace, signal, namespace, ...selectors } = options;
  const known = new Map<string, T>();
  let version: string | undefined;
  let shortLives = 0;
  while (!signal.aborted) {
    let openedAt: number | undefined;
    try {
      if (version === undefined) {
        const listed = await client.list(type, namespace, selectors);
        applyList(listed.items, known, handler);
        version = listed.resourceVersion;
      }
      openedAt = performance.now();
      const scope = namespace === undefined ? {} : { namespace };
      for await (const event of client.watch(type, version, { ...selectors, ...scope, signal })) {
        version = applyEvent(event, known, handler) ?? version;
        if (signal.aborted) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isKubeCode(error, 410)) version = undefined;
      else handler.onTrouble?.(error);
    }
    const livedMs = openedAt === undefined ? 0 : performance.now() - openedAt;
    const next = planReconnect({ shortLives, livedMs, random: 0.5 }, RECONNECT);
    shortLives = next.shortLives;
    // Trouble of the connection is the machine's and not the scenario's, so its pause is real time.
    await pace.sleep(next.pauseMs * pace.speed, signal).catch(() => undefined);
  }
}
