import { useSyncExternalStore } from 'react';

/** One clock tick a second for the whole page, so that all times on it change together. */
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The wall clock of this device, renewed each second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** Milliseconds since `at` (of `performance.now()`), renewed each second. */
export function useElapsed(at: number): number {
  useNow();
  return Math.max(0, performance.now() - at);
}
