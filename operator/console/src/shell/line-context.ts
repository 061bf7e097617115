import { createContext, useContext, useSyncExternalStore } from 'react';
import type { Freshness } from '../live/freshness.ts';
import type { Line } from '../live/line.ts';
import { useNow } from '../time/ticking.ts';

export const LineContext = createContext<Line | undefined>(undefined);

const CLOSED: Freshness = { state: 'stale', seconds: 0, why: 'not connected yet' };

/** How old the screen is, now. */
export function useFreshness(): Freshness {
  const line = useContext(LineContext);
  const now = useNow();
  useSyncExternalStore(line?.subscribe ?? noLine, () => line);
  return line?.freshness(Math.max(now, Date.now())) ?? CLOSED;
}

/** The server's wall clock, as well as it can be told. */
export function useServerNow(): number {
  const line = useContext(LineContext);
  return useNow() + (line?.skew() ?? 0);
}

export function useSkew(): number {
  useNow();
  return useContext(LineContext)?.skew() ?? 0;
}

function noLine(): () => void {
  return () => {};
}
