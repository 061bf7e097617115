/**
 * How waiting is compressed. `speed` divides configured waits (back-off, grace, verification, quiet, controller delays);
 * it never touches a clock, a lease or a budget. `speed: 1` is real time.
 */
export interface Pace {
  readonly speed: number;
  /** Resolves after `milliseconds / speed`; rejects when the signal aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once after `milliseconds / speed`; returns the cancel function. */
  after(milliseconds: number, callback: () => void): () => void;
  /** Wall time, for timestamps only. */
  now(): Date;
}

/** The only place of the demo with real timers. */
export function createPace(speed: number): Pace {
  if (!(speed > 0)) throw new RangeError(`expected a speed above zero, found \`${speed}\`; use 1 for real time`);
  return {
    speed,
    sleep: (milliseconds, signal) => sleepFor(milliseconds / speed, signal),
    after: (milliseconds, callback) => {
      const timer = setTimeout(callback, Math.min(milliseconds / speed, LONGEST_TIMER));
      return () => clearTimeout(timer);
    },
    now: () => new Date(),
  };
}

/** Node fires longer timers at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

async function sleepFor(milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) throw signal.reason;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, Math.min(milliseconds, LONGEST_TIMER));
  const onAbort = (): void => {
    clearTimeout(timer);
    reject(signal?.reason);
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await promise;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}
