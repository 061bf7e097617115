import type { QueryClient } from '@tanstack/react-query';
import { watchCalls } from '../api/call.ts';
import { createPageClock } from '../time/page-clock.ts';
import type { Frame } from './frames.ts';
import { type Freshness, judgeFreshness, type LineFacts, retryDelay } from './freshness.ts';
import { openRenewal, renewAll } from './renew.ts';
import { openSharedLine } from './shared-line.ts';
import type { LiveStream } from './stream.ts';

export interface Line {
  freshness(now: number): Freshness;
  /** The server's clock less this device's, in milliseconds; 0 while they agree within the header's resolution. */
  skew(): number;
  subscribe(onChange: () => void): () => void;
  close(): void;
}

/** An event that is not on the screen after so long makes it an old one. */
const BEHIND_MS = 5_000;
/** A timer that comes so late says that the device slept. */
const SLEPT_MS = 10_000;

/** The page's one connection with what happens: renews what is shown, and knows how old it is. */
export function openLine(client: QueryClient, onSignedOut: () => void): Line {
  const listeners = new Set<() => void>();
  let connected = false;
  let failures = 0;
  let reachable = true;
  const pageNow = createPageClock();
  let lastContact = pageNow();
  let skewMs = 0;
  let pollTimer: ReturnType<typeof setTimeout> | undefined;
  let everOpen = false;
  const renewal = openRenewal(client);

  function changed(): void {
    for (const listener of listeners) listener();
  }

  function contact(): void {
    lastContact = pageNow();
  }

  watchCalls({
    answered(dateHeader) {
      reachable = true;
      if (!connected) contact();
      const server = dateHeader === null ? Number.NaN : Date.parse(dateHeader);
      const apart = Number.isNaN(server) ? skewMs : server + 500 - Date.now();
      skewMs = Math.abs(apart) < 2_000 ? 0 : apart;
    },
    unanswered() {
      reachable = false;
      changed();
    },
    signedOut: onSignedOut,
  });

  function onFrame(frame: Frame): void {
    if (frame.name === 'reset') void renewAll(client);
    else if (frame.name !== 'ready') renewal.hear({ name: frame.name, incidentId: incidentOf(frame.data) });
  }

  /** While the line is down the page asks by itself, more and more rarely. */
  function poll(): void {
    clearTimeout(pollTimer);
    if (connected || failures < 2) return;
    pollTimer = setTimeout(
      () => {
        if (document.visibilityState === 'visible') void renewAll(client);
        poll();
      },
      retryDelay(failures, Math.random()),
    );
  }

  const stream: LiveStream = openSharedLine('/api/v1/stream', {
    opened() {
      connected = true;
      failures = 0;
      contact();
      // The first time everything has just been read; later, something may have been missed while a replica was away.
      if (everOpen) void renewAll(client);
      everOpen = true;
      changed();
    },
    beat: contact,
    frame: onFrame,
    failed(count) {
      connected = false;
      failures = count;
      if (count === 1) void renewAll(client);
      poll();
      changed();
    },
    signedOut: onSignedOut,
  });

  /** First what is on the screen, then the line. After a change of network its socket is dead even where it does not know it yet. */
  function wake(event?: Event): void {
    if (document.visibilityState !== 'visible') return;
    void renewAll(client);
    if (event?.type === 'online' || pageNow() - lastContact > SLEPT_MS * 2 || !connected) stream.reconnect();
    changed();
  }

  let tick = Date.now();
  const pulse = setInterval(() => {
    const now = Date.now();
    if (now - tick > SLEPT_MS) wake();
    tick = now;
  }, 1_000);
  document.addEventListener('visibilitychange', wake);
  addEventListener('online', wake);
  addEventListener('offline', changed);

  function facts(now: number): LineFacts {
    return {
      now,
      online: navigator.onLine,
      connected,
      lastContact,
      reachable,
      failures,
      oldSince: earliest([oldestFailed(client), behind(now)]),
    };
  }

  function behind(now: number): number | undefined {
    const since = renewal.behindSince();
    return since !== undefined && now - since > BEHIND_MS ? since : undefined;
  }

  return {
    freshness: (now) => judgeFreshness(facts(Math.max(now, pageNow()))),
    skew: () => skewMs,
    subscribe(onChange) {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    close() {
      clearInterval(pulse);
      renewal.close();
      clearTimeout(pollTimer);
      document.removeEventListener('visibilitychange', wake);
      removeEventListener('online', wake);
      removeEventListener('offline', changed);
      stream.close();
    },
  };
}

/** When the oldest picture on the screen was taken that could not be renewed. */
function oldestFailed(client: QueryClient): number | undefined {
  const failed = client
    .getQueryCache()
    .findAll({ type: 'active', predicate: (query) => query.state.status === 'error' && query.state.dataUpdatedAt > 0 });
  return earliest(failed.map((query) => query.state.dataUpdatedAt));
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.flatMap((time) => time ?? []);
  return known.length === 0 ? undefined : Math.min(...known);
}

function incidentOf(data: string): string | undefined {
  try {
    const parsed = JSON.parse(data) as { incident?: { id?: unknown } };
    return typeof parsed.incident?.id === 'string' ? parsed.incident.id : undefined;
  } catch {
    return undefined;
  }
}
