export interface ReceiverTimes {
  readonly firstRestMs: number;
  readonly longestRestMs: number;
}

export const RECEIVER_TIMES: ReceiverTimes = { firstRestMs: 1_000, longestRestMs: 30_000 };

/** Messages that one receiver gets at the same time, so that a slow one leaves room for the others. */
export const SENDS_PER_RECEIVER = 5;
export const SENDS_AT_ONCE = 20;
/** Failures in a row after which a receiver rests; from then on it gets one message at a time. */
const FAILURES_TO_REST = 3;

/**
 * Who may get a message now, as this process knows its receivers. A receiver that fails again and again rests for a growing time, so that the
 * messages for it neither wait in the way of others nor use up their tries. Forgotten with the process: the next one finds out anew.
 */
export interface Receivers {
  /** Receivers that get nothing now, by key; undefined when nobody does. */
  blocked(): readonly string[] | undefined;
  begin(key: string): void;
  /** Resolves to how long the receiver rests now; 0 when it does not. */
  end(key: string, reached: boolean): number;
}

export function receiverKey(channel: string, recipient: string): string {
  return `${channel}/${recipient}`;
}

export function createReceivers(nowMs: () => number, times: ReceiverTimes = RECEIVER_TIMES): Receivers {
  const known = new Map<string, { sending: number; failures: number; restsUntilMs: number }>();
  let sending = 0;
  return {
    blocked() {
      if (sending >= SENDS_AT_ONCE) return undefined;
      return [...known].flatMap(([key, state]) => {
        const most = state.failures >= FAILURES_TO_REST ? 1 : SENDS_PER_RECEIVER;
        return state.sending >= most || state.restsUntilMs > nowMs() ? [key] : [];
      });
    },
    begin(key) {
      sending += 1;
      const state = known.get(key) ?? { sending: 0, failures: 0, restsUntilMs: 0 };
      known.set(key, { ...state, sending: state.sending + 1 });
    },
    end(key, reached) {
      sending -= 1;
      const state = known.get(key) ?? { sending: 1, failures: 0, restsUntilMs: 0 };
      const left = state.sending - 1;
      if (reached) {
        if (left === 0) known.delete(key);
        else known.set(key, { sending: left, failures: 0, restsUntilMs: 0 });
        return 0;
      }
      const failures = state.failures + 1;
      const rest =
        failures < FAILURES_TO_REST
          ? 0
          : Math.min(times.longestRestMs, times.firstRestMs * 2 ** Math.min(20, failures - FAILURES_TO_REST));
      known.set(key, { sending: left, failures, restsUntilMs: rest === 0 ? 0 : nowMs() + rest });
      return rest;
    },
  };
}
