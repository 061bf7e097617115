const FIRST_SECONDS = 10;
const LONGEST_SECONDS = 300;

/**
 * Seconds to wait before restart number `restart` (from 1) of a container that keeps failing: the first comes at once, then
 * 10 s doubling to 5 min.
 */
export function restartDelaySeconds(restart: number): number {
  return restart <= 1 ? 0 : Math.min(FIRST_SECONDS * 2 ** (restart - 2), LONGEST_SECONDS);
}

/** Seconds to wait after failed pull number `pull` (from 1). */
export function pullDelaySeconds(pull: number): number {
  return Math.min(FIRST_SECONDS * 2 ** (pull - 1), LONGEST_SECONDS);
}

/** A container that ran this long starts with a clean slate. */
export const FORGIVEN_AFTER_SECONDS = 2 * LONGEST_SECONDS;

/** Seconds as Go prints a duration: `40s`, `1m20s`, `5m0s`. */
export function goDuration(seconds: number): string {
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
