import type { GroupVersionResource, KubeObject } from '../../cluster/object.ts';
import { type ObjectStore, StoreError } from '../../cluster/store.ts';
import type { Pace } from '../../pace.ts';
import type { Random } from '../shape/names.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { Instants } from './instants.ts';

/** What every controller is given. */
export interface ControllerContext {
  readonly store: ObjectStore;
  readonly pace: Pace;
  readonly random: Random;
  readonly events: EventRecorder;
  readonly instants: Instants;
  /** Told of every failed look at a key; the key is tried again. */
  readonly onError: (controller: string, key: string, error: unknown) => void;
}

export interface Running {
  close(): void;
}

/** A controller that hears of nothing any more and takes up no further key once closed. */
export function runningWith(queue: Running, unsubscribe: readonly (() => void)[]): Running {
  return {
    close: () => {
      for (const stop of unsubscribe) stop();
      queue.close();
    },
  };
}

/** Simulated milliseconds that have passed since the instant. */
export function elapsedSince(pace: Pace, instant: number): number {
  return (pace.now().getTime() - instant) * pace.speed;
}

/** The object as it may be written back unconditionally: a copy without the version it was read at. */
export function withStatus<T extends KubeObject>(object: T, status: unknown): T {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata, status };
}

/** Removes an object that may be gone already. */
export function removeIfPresent(
  store: ObjectStore,
  gvr: GroupVersionResource,
  object: KubeObject,
  force = false,
): void {
  try {
    const uid = object.metadata.uid;
    store.remove(gvr, object.metadata.namespace ?? '', object.metadata.name, {
      ...(uid === undefined ? {} : { uid }),
      ...(force ? { force } : {}),
    });
  } catch (error: unknown) {
    if (!(error instanceof StoreError && (error.reason === 'NotFound' || error.reason === 'Conflict'))) throw error;
  }
}

/** Closes in the reverse order of starting. */
export function closeAll(parts: readonly Running[]): Running {
  return {
    close: () => {
      for (const part of [...parts].reverse()) part.close();
    },
  };
}
