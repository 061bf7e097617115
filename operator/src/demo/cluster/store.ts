import type { GroupVersionResource, KubeObject } from './object.ts';

export type StoreEvent = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
  /** What was stored before a MODIFIED; lets a watch with a selector tell who entered and who left the selection. */
  readonly previous?: KubeObject;
};

/**
 * The simulated cluster's storage, shared in process by its API server and its controllers.
 * Objects handed out are frozen snapshots: callers copy before they change. Every write takes the next resourceVersion of one
 * counter for the whole store and reaches watchers in that order, synchronously after the write (a write made inside a
 * watcher's callback is delivered once the running delivery is over).
 * A spec change increments `metadata.generation`; a write that changes nothing is a no-op without an event.
 * Types are told apart by group and resource, the version is not looked at. Events live in the core group only.
 */
export interface ObjectStore {
  get(gvr: GroupVersionResource, namespace: string, name: string): KubeObject | undefined;
  /** All namespaces when `namespace` is undefined; ordered by namespace, then name. */
  list(gvr: GroupVersionResource, namespace?: string): readonly KubeObject[];
  /** Sets uid, creationTimestamp, resourceVersion, generation; resolves generateName. Throws StoreError `AlreadyExists`. */
  create(gvr: GroupVersionResource, object: KubeObject): KubeObject;
  /**
   * Replaces the object; with `part: 'status'` only status is taken from it, otherwise status is kept as stored.
   * A resourceVersion or uid in the object is a precondition (StoreError `Conflict`); absent means unconditional. Throws `NotFound`.
   * An object that is being deleted goes with the last finalizer that an update takes from it.
   */
  update(gvr: GroupVersionResource, object: KubeObject, part?: 'main' | 'status'): KubeObject;
  /**
   * Removes the object. A pod that runs on a node first gets a deletionTimestamp and a deletionGracePeriodSeconds, and is gone when
   * its kubelet removes it with `force`; an object with finalizers waits for them even with `force`. A namespace takes its
   * content along. Dependents: `Foreground` removes them first, `Orphan` cuts their owner reference, else they are left to
   * garbage collection. Answers with the object as it was last. Throws `NotFound`, and `Conflict` when uid or resourceVersion differ.
   */
  remove(gvr: GroupVersionResource, namespace: string, name: string, options?: RemoveOptions): KubeObject;
  /** Calls back for every later event of the type; returns the unsubscribe function. */
  subscribe(gvr: GroupVersionResource, onEvent: (event: StoreEvent) => void): () => void;
  /** The newest resourceVersion given out. */
  revision(): number;
}

export interface RemoveOptions {
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** No grace: gone at once, except for finalizers. */
  readonly force?: boolean;
  /** Instead of the pod's own terminationGracePeriodSeconds; 0 is the same as `force`. */
  readonly gracePeriodSeconds?: number;
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
}

/** What the API server needs of the store beyond what controllers need. */
export interface MemoryStore extends ObjectStore {
  /** The same checks and the same result as the real write, and nothing is stored. */
  readonly preview: Pick<ObjectStore, 'create' | 'update' | 'remove'>;
  /** Events of the type after the revision, oldest first. Throws `Expired` when the window no longer reaches back that far. */
  since(gvr: GroupVersionResource, revision: number): readonly StoreEvent[];
  /** Forgets all events up to the revision (all of them when absent), so that watches from before it are `Expired`. */
  compact(revision?: number): void;
  /** The oldest revision that a watch may start from. */
  oldestRevision(): number;
}

/** Reasons are the API server's own status reasons, so that the HTTP layer maps them one to one. */
export class StoreError extends Error {
  readonly reason: 'NotFound' | 'AlreadyExists' | 'Conflict' | 'Invalid' | 'Expired';
  constructor(reason: StoreError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}
