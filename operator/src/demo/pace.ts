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
