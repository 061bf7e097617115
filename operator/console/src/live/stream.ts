import { createFrameReader, type Frame } from './frames.ts';
import { retryDelay } from './freshness.ts';

export interface StreamEvents {
  opened(): void;
  /** Any sign of life, heartbeats included. */
  beat(): void;
  frame(frame: Frame): void;
  /** The line dropped or did not open. */
  failed(failures: number): void;
  /** The session is over; nothing more will come. */
  signedOut(): void;
}

export interface LiveStream {
  /** Drops the line and opens it anew at once, e.g. after sleep. */
  reconnect(): void;
  close(): void;
}

/** A line on which nothing came for longer than two heartbeats is dead, whatever the socket says. */
const DEAD_MS = 35_000;

/** A line that dropped sooner after it opened counts as an attempt that failed, so that a server that ends each line is not asked at once again. */
const MINIMUM_LIFE_MS = 5_000;

/** Keeps one line to the server open, resuming behind `cursor` after each drop, until closed. */
export function openStream(path: string, from: string | undefined, events: StreamEvents): LiveStream {
  let cursor = from;
  let failures = 0;
  let closed = false;
  let attempt: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastByte = performance.now();
  let openedAt: number | undefined;

  async function run(): Promise<void> {
    const mine = new AbortController();
    attempt = mine;
    lastByte = performance.now();
    openedAt = undefined;
    const watchdog = setInterval(() => {
      if (performance.now() - lastByte > DEAD_MS) mine.abort();
    }, 5_000);
    try {
      await read(mine.signal);
    } catch {
      // Whatever ended it, the answer is the same: open it again behind the last event that came.
    } finally {
      clearInterval(watchdog);
    }
    if (closed || attempt !== mine) return;
    failures = openedAt !== undefined && performance.now() - openedAt >= MINIMUM_LIFE_MS ? 1 : failures + 1;
    events.failed(failures);
    timer = setTimeout(() => void run(), retryDelay(failures - 1, Math.random()));
  }

  async function read(signal: AbortSignal): Promise<void> {
    const answer = await fetch(path, {
      signal,
      credentials: 'same-origin',
      cache: 'no-store',
      headers: { accept: 'text/event-stream', ...(cursor === undefined ? {} : { 'last-event-id': cursor }) },
    });
    if (answer.status === 401) {
      closed = true;
      events.signedOut();
      return;
    }
    if (!answer.ok || answer.body === null) throw new Error(`the stream answered ${answer.status}`);
    lastByte = performance.now();
    openedAt = lastByte;
    events.opened();
    const frames = createFrameReader();
    const text = new TextDecoder();
    const reader = answer.body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      lastByte = performance.now();
      events.beat();
      for (const frame of frames(text.decode(part.value, { stream: true }))) {
        cursor = frame.id ?? cursor;
        if (frame.name !== '') events.frame(frame);
      }
    }
  }

  function stop(): void {
    clearTimeout(timer);
    const old = attempt;
    attempt = undefined;
    old?.abort();
  }

  void run();
  return {
    reconnect() {
      if (closed) return;
      stop();
      failures = 0;
      void run();
    },
    close() {
      closed = true;
      stop();
    },
  };
}
