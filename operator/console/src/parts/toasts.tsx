import { useEffect, useSyncExternalStore } from 'react';
import { Icon } from './icons.tsx';

interface Toast {
  readonly id: number;
  readonly text: string;
}

const STAYS_MS = 6_000;
const listeners = new Set<() => void>();
let toasts: readonly Toast[] = [];
let count = 0;

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Says something in passing. What matters also stands on the page: this goes away. */
export function say(text: string): void {
  count += 1;
  set([...toasts.slice(-2), { id: count, text }]);
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map((toast) => (
        <Passing key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function Passing({ toast }: { readonly toast: Toast }) {
  const leave = (): void => set(toasts.filter((other) => other.id !== toast.id));
  // biome-ignore lint/correctness/useExhaustiveDependencies: one timer a toast, from when it appears
  useEffect(() => {
    const timer = setTimeout(leave, STAYS_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="toast">
      <span className="wrap-any">{toast.text}</span>
      <button type="button" className="icon-button" aria-label="Dismiss" onClick={leave}>
        <Icon name="cross" />
      </button>
    </div>
  );
}
