import type { Pace } from '../../pace.ts';

/** What a reconcile asks for afterwards: nothing, or to look again after so many simulated milliseconds. */
export type Outcome = { readonly kind: 'settled' } | { readonly kind: 'again'; readonly afterMilliseconds: number };

export const SETTLED: Outcome = { kind: 'settled' };

export function again(afterMilliseconds: number): Outcome {
  return { kind: 'again', afterMilliseconds };
}

export interface WorkQueue {
  /** Asks for a look at the key; repeats before the look collapse into one. */
  add(key: string): void;
  /** Asks for a look later; an earlier appointment of the same key wins. */
  addAfter(key: string, milliseconds: number): void;
  close(): void;
}

export interface WorkQueueOptions {
  readonly pace: Pace;
  /** Reads the world anew for the key; may throw, and is then tried again with growing delays. */
  readonly reconcile: (key: string) => Outcome;
  /** Told of every failed look; what it throws is not caught. */
  readonly onError: (key: string, error: unknown) => void;
}

const FIRST_RETRY = 5;
const LONGEST_RETRY = 60_000;

/** Level-based: a key says only where to look. Looks happen one at a time, never inside the write that asked for them. */
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { pace } = options;
  const ready = new Set<string>();
  const appointments = new Map<string, { readonly due: number; readonly cancel: () => void }>();
  const failures = new Map<string, number>();
  let cancelDrain: (() => void) | undefined;
  let closed = false;

  const add = (key: string): void => {
    if (closed) return;
    ready.add(key);
    cancelDrain ??= pace.after(0, drain);
  };

  const addAfter = (key: string, milliseconds: number): void => {
    if (closed) return;
    const due = pace.now().getTime() + milliseconds / pace.speed;
    const earlier = appointments.get(key);
    if (earlier !== undefined && earlier.due <= due) return;
    earlier?.cancel();
    const cancel = pace.after(milliseconds, () => {
      appointments.delete(key);
      add(key);
    });
    appointments.set(key, { due, cancel });
  };

  const look = (key: string): void => {
    try {
      const outcome = options.reconcile(key);
      failures.delete(key);
      if (outcome.kind === 'again') addAfter(key, outcome.afterMilliseconds);
    } catch (error: unknown) {
      const count = failures.get(key) ?? 0;
      failures.set(key, count + 1);
      addAfter(key, Math.min(FIRST_RETRY * 2 ** count, LONGEST_RETRY));
      options.onError(key, error);
    }
  };

  const drain = (): void => {
    cancelDrain = undefined;
    // A snapshot: what these looks ask for is done in the next turn, so that one controller cannot starve the others.
    const keys = [...ready];
    ready.clear();
    for (const key of keys) if (!closed) look(key);
  };

  return {
    add,
    addAfter,
    close: () => {
      closed = true;
      cancelDrain?.();
      for (const appointment of appointments.values()) appointment.cancel();
      appointments.clear();
      ready.clear();
    },
  };
}
