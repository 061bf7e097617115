/** The clocks of the process. Their times are compared only with process times, never with a time the database gave. Do not throw. */
export interface Clock {
  /** The time of day, for timestamps and for comparison with times of day. It can jump in either direction. */
  now(): Date;
  /** Milliseconds since an arbitrary instant. Never goes back and never jumps: the only way to measure how long something has lasted. */
  monotonicMs(): number;
}

/**
 * The time of day as it was at the call, moved on by the time that has passed since. For work that compares its own times with times of day
 * and must not be held up, or hurried, when somebody sets the clock.
 */
export function steadyTimeOfDay(clock: Clock): () => number {
  const startMs = clock.now().getTime();
  const startedAt = clock.monotonicMs();
  return () => Math.floor(startMs + clock.monotonicMs() - startedAt);
}

/** Delays of the process. `sleep` rejects with the signal's reason when aborted; both never fire early. */
export interface Timers {
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  after(milliseconds: number, callback: () => void): () => void;
}

/** Identifiers and randomness. `uuid` is version 7, so that ids sort by creation; `token` is 32 random bytes, base64url. */
export interface Ids {
  uuid(): string;
  token(): string;
}
