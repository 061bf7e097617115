import type { GroupVersionResource, KubeObject } from './object.ts';

export type StoreEvent = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject };

/**
 * The simulated cluster's storage, shared in process by its API server and its controllers.
 * Objects handed out are frozen snapshots: callers copy before they change. Every write takes the next resourceVersion of one
 * counter for the whole store and reaches watchers in that order, synchronously after the write.
 * A spec change increments `metadata.generation`; a write that changes nothing is a no-op without an event.
 */
export interface ObjectStore {
  get(gvr: GroupVersionResource, namespace: string, name: string): KubeObject | undefined;
  /** All namespaces when `namespace` is undefined; ordered by namespace, then name. */
  list(gvr: GroupVersionResource, namespace?: string): readonly KubeObject[];
  /** Sets uid, creationTimestamp, resourceVersion, generation; resolves generateName. Throws StoreError `AlreadyExists`. */
  create(gvr: GroupVersionResource, object: KubeObject): KubeObject;
  /**
   * Replaces the object; with `part: 'status'` only status is taken from it, otherwise status is kept as stored.
   * A resourceVersion in the object is a precondition (StoreError `Conflict`); absent means unconditional. Throws `NotFound`.
   */
  update(gvr: GroupVersionResource, object: KubeObject, part?: 'main' | 'status'): KubeObject;
  /** Removes the object (pods with a grace period first get a deletionTimestamp, unless `force`). Throws `NotFound`, `Conflict` when uid or resourceVersion differ. */
  remove(gvr: GroupVersionResource, namespace: string, name: string, options?: RemoveOptions): void;
  /** Calls back for every later event of the type; returns the unsubscribe function. */
  subscribe(gvr: GroupVersionResource, onEvent: (event: StoreEvent) => void): () => void;
  /** The newest resourceVersion given out. */
  revision(): number;
}

export interface RemoveOptions {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly force?: boolean;
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
}

/** Reasons are the API server's own status reasons, so that the HTTP layer maps them one to one. */
export class StoreError extends Error {
  readonly reason: 'NotFound' | 'AlreadyExists' | 'Conflict' | 'Invalid' | 'Expired';
  constructor(reason: StoreError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}
