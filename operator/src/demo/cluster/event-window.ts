import type { GroupVersionResource } from './object.ts';
import { StoreError, type StoreEvent } from './store.ts';
import { typeKey } from './type-key.ts';

interface Entry {
  readonly revision: number;
  readonly type: string;
  readonly event: StoreEvent;
}

/** The last events of the store and who listens to them. Bounded: whoever comes too late relists, as on a real cluster. */
export class EventWindow {
  readonly #capacity: number;
  readonly #listeners = new Map<string, Set<(event: StoreEvent) => void>>();
  readonly #undelivered: Entry[] = [];
  #entries: Entry[] = [];
  #oldest: number;
  #delivering = false;

  constructor(firstRevision: number, capacity: number) {
    this.#oldest = firstRevision;
    this.#capacity = capacity;
  }

  append(gvr: GroupVersionResource, revision: number, event: StoreEvent): void {
    const entry = { revision, type: typeKey(gvr), event };
    this.#entries.push(entry);
    // Cut in halves: shifting one entry off a long array at every write costs more than keeping up to twice as many.
    if (this.#entries.length >= 2 * this.#capacity)
      this.compact(this.#entries[this.#capacity - 1]?.revision ?? revision);
    this.#undelivered.push(entry);
    this.#deliver();
  }

  subscribe(gvr: GroupVersionResource, onEvent: (event: StoreEvent) => void): () => void {
    const key = typeKey(gvr);
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners);
    // One entry a subscription, also when the same function subscribes twice.
    const listener = (event: StoreEvent) => onEvent(event);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  since(gvr: GroupVersionResource, revision: number): readonly StoreEvent[] {
    if (revision < this.#oldest) {
      throw new StoreError('Expired', `too old resource version: ${revision} (${this.#oldest})`);
    }
    const key = typeKey(gvr);
    return this.#entries.filter((entry) => entry.revision > revision && entry.type === key).map((entry) => entry.event);
  }

  compact(revision: number): void {
    this.#entries = this.#entries.filter((entry) => entry.revision > revision);
    this.#oldest = Math.max(this.#oldest, revision);
  }

  oldest(): number {
    return this.#oldest;
  }

  #deliver(): void {
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      for (let entry = this.#undelivered.shift(); entry; entry = this.#undelivered.shift()) this.#tell(entry);
    } finally {
      this.#delivering = false;
    }
  }

  #tell({ type, event }: Entry): void {
    for (const listener of [...(this.#listeners.get(type) ?? [])]) {
      try {
        listener(event);
      } catch (error) {
        // The write has happened: its caller must not see a listener's failure, and nobody may overlook it.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
