/** Milliseconds. */
export interface ReconnectTimes {
  readonly firstMs: number;
  readonly longestMs: number;
  /** A stream that lived shorter than this counts as an attempt that failed, whether it ended in good order or not. */
  readonly minimumLifeMs: number;
}

export interface Reconnect {
  /** Attempts in a row that failed or lived too short a time. The caller passes it back with the next end. */
  readonly shortLives: number;
  readonly pauseMs: number;
}

/**
 * The pause before a stream is opened again. A stream that lived long enough is opened again almost at once. `random` in 0…1 spreads the
 * pauses, or the streams of all replicas return at the same moment.
 */
export function planReconnect(
  end: { readonly shortLives: number; readonly livedMs: number; readonly random: number },
  times: ReconnectTimes,
): Reconnect {
  if (end.livedMs >= times.minimumLifeMs) return { shortLives: 0, pauseMs: times.firstMs * end.random };
  const shortLives = end.shortLives + 1;
  const plain = Math.min(times.longestMs, times.firstMs * 2 ** Math.min(20, shortLives - 1));
  return { shortLives, pauseMs: plain * (0.5 + end.random) };
}
