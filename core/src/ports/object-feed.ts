import type { KubeFailure } from './kube.ts';

/** One collection of one API server. Namespace '' is the whole cluster. */
export interface FeedTarget {
  readonly apiVersion: string;
  readonly resource: string;
  readonly namespace: string;
}

/** How a feed is doing. `forbidden` and `failing` go on trying; whatever else is watched is not affected. */
export type FeedState =
  | { readonly kind: 'listing' }
  | { readonly kind: 'watching' }
  | { readonly kind: 'failing'; readonly verb: 'list' | 'watch'; readonly failure: KubeFailure }
  | { readonly kind: 'forbidden'; readonly verb: 'list' | 'watch'; readonly message: string };

export interface FeedHandlers<Item> {
  /** Reduces an object to what is kept of it; undefined leaves it out. Called once an object, at once, so that raw objects can go. */
  project(object: Readonly<Record<string, unknown>>): Item | undefined;
  /** Everything there is now. What was there before and is not in it has gone meanwhile. */
  replaced(items: readonly Item[]): void;
  changed(change: 'ADDED' | 'MODIFIED' | 'DELETED', item: Item): void;
  /** Something was heard, be it only that nothing happened. */
  heard(): void;
  state(state: FeedState): void;
}

/** A list followed by its changes, for as long as the signal lets it: reconnects, resumes, lists again where history is gone. Never rejects. */
export interface ObjectFeeds {
  follow<Item>(target: FeedTarget, handlers: FeedHandlers<Item>, signal: AbortSignal): Promise<void>;
}
