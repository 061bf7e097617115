import { useSyncExternalStore } from 'react';
import type { Zone } from '../time/instant.ts';

/** What a reader sets for this browser. Nothing of it is sent anywhere. */
export interface Settings {
  readonly theme: 'system' | 'light' | 'dark';
  readonly zone: Zone;
  /** Single keys as shortcuts; whoever dictates or is bumped often turns them off. */
  readonly keys: 'on' | 'off';
  readonly diff: 'side' | 'unified';
  /** A tone when a new proposal needs this person. Nobody is surprised by it: it is off until asked for. */
  readonly sound: 'on' | 'off';
}

const KEY = 'hephaisto-console';
const DEFAULTS: Settings = { theme: 'system', zone: 'local', keys: 'on', diff: 'side', sound: 'off' };
const listeners = new Set<() => void>();
let current = load();

function load(): Settings {
  try {
    return { ...DEFAULTS, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Settings>) };
  } catch {
    return DEFAULTS;
  }
}

export function applyTheme(): void {
  if (current.theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = current.theme;
}

export function changeSettings(change: Partial<Settings>): void {
  current = { ...current, ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // A browser that keeps nothing still shows what was chosen, for as long as the page is open.
  }
  applyTheme();
  for (const listener of listeners) listener();
}

export function useSettings(): Settings {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}
