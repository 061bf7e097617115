/** Milliseconds. */
export interface BackoffTimes {
  readonly firstMs: number;
  readonly longestMs: number;
  readonly giveUpAfterMs: number;
}

export const BACKOFF_JITTER = 0.2;

export type RetryVerdict =
  | { readonly kind: 'retry'; readonly inMs: number }
  | { readonly kind: 'give-up'; readonly reason: 'gave-up'; readonly message: string };

/**
 * When to try a message again after `attempts` tries (at least 1). `random` in 0…1 spreads the tries of many messages by a fifth in both
 * directions. A receiver that says when to come back is believed, even beyond the longest wait, but not beyond the time at which the message is
 * given up: a message must not wait for years, nor for longer than the database can reckon.
 */
export function nextTry(
  state: {
    readonly attempts: number;
    readonly ageMs: number;
    readonly random: number;
    readonly retryAfterMs: number | undefined;
  },
  times: BackoffTimes,
): RetryVerdict {
  if (state.ageMs >= times.giveUpAfterMs) {
    return { kind: 'give-up', reason: 'gave-up', message: `no receiver took the message in ${state.attempts} tries` };
  }
  const plain = Math.min(times.longestMs, times.firstMs * 2 ** Math.min(30, state.attempts - 1));
  const spread = plain * (1 - BACKOFF_JITTER + 2 * BACKOFF_JITTER * state.random);
  const asked = Math.min(state.retryAfterMs ?? 0, times.giveUpAfterMs - state.ageMs);
  return { kind: 'retry', inMs: Math.round(Math.max(spread, asked)) };
}
