/** How often pods have failed since the last success, and when the last of them did (milliseconds since the epoch). */
export interface FailureStreak {
  readonly failures: number;
  readonly lastFailureAt: number | undefined;
}

export const NO_FAILURES: FailureStreak = { failures: 0, lastFailureAt: undefined };

const FIRST_DELAY = 10_000;
const LONGEST_DELAY = 600_000;

/** A success ends the streak; failures after it start the next one. Times are when each pod finished. */
export function nextStreak(
  before: FailureStreak,
  succeededAt: readonly number[],
  failedAt: readonly number[],
): FailureStreak {
  if (succeededAt.length === 0 && failedAt.length === 0) return before;
  const lastSuccess = succeededAt.length === 0 ? undefined : Math.max(...succeededAt);
  const counted = lastSuccess === undefined ? failedAt : failedAt.filter((at) => at > lastSuccess);
  if (counted.length === 0) return NO_FAILURES;
  const base = lastSuccess === undefined ? before.failures : 0;
  return { failures: base + counted.length, lastFailureAt: Math.max(...counted) };
}

/** Simulated milliseconds to wait before the next pod: 10 s after the first failure, doubling to 10 minutes. */
export function remainingDelay(streak: FailureStreak, elapsedSinceLastFailure: number): number {
  if (streak.failures === 0) return 0;
  const delay = Math.min(FIRST_DELAY * 2 ** Math.min(streak.failures - 1, 16), LONGEST_DELAY);
  return Math.max(0, delay - elapsedSinceLastFailure);
}
