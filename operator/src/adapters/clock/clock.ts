import type { Clock, Timers } from '@hephaisto/core/ports/clock';

/** The clocks of the process. */
export const systemClock: Clock = { now: () => new Date(), monotonicMs: () => performance.now() };

/** Node fires timers longer than this at once, so a longer delay is taken in pieces. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function after(milliseconds: number, callback: () => void): () => void {
  let timer: NodeJS.Timeout;
  function arm(left: number): void {
    const piece = Math.min(left, LONGEST_TIMER_MS);
    timer = setTimeout(() => (left > piece ? arm(left - piece) : callback()), piece);
  }
  arm(Math.max(0, milliseconds));
  return () => clearTimeout(timer);
}

async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) throw signal.reason;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const cancel = after(milliseconds, resolve);
  const onAbort = (): void => {
    cancel();
    reject(signal?.reason);
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await promise;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Real timers of the process. */
export const systemTimers: Timers = { sleep, after };
