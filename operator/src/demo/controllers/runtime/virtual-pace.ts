import type { Pace } from '../../pace.ts';

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

/** A pace whose time passes only when told to, so that minutes of waiting are tested in milliseconds and never by chance. */
export interface VirtualPace extends Pace {
  /** Runs everything that falls due within the next (simulated) milliseconds, in order; the clock stands at each timer's time. */
  advance(milliseconds: number): void;
}

/** `speed` is 1: milliseconds advanced are milliseconds waited. */
export function createVirtualPace(startsAt = '2030-01-01T00:00:00Z'): VirtualPace {
  let now = Date.parse(startsAt);
  let order = 0;
  const timers = new Set<Timer>();

  const after = (milliseconds: number, callback: () => void): (() => void) => {
    const timer: Timer = { due: now + Math.max(0, milliseconds), order: order++, callback };
    timers.add(timer);
    return () => timers.delete(timer);
  };

  return {
    speed: 1,
    after,
    now: () => new Date(now),
    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        const cancel = after(milliseconds, resolve);
        signal?.addEventListener('abort', () => {
          cancel();
          reject(signal.reason);
        });
      }),
    advance: (milliseconds) => {
      const until = now + milliseconds;
      for (let next = earliest(timers, until); next !== undefined; next = earliest(timers, until)) {
        timers.delete(next);
        now = Math.max(now, next.due);
        next.callback();
      }
      now = until;
    },
  };
}

function earliest(timers: ReadonlySet<Timer>, until: number): Timer | undefined {
  let first: Timer | undefined;
  for (const timer of timers) {
    if (timer.due > until) continue;
    if (first === undefined || timer.due < first.due || (timer.due === first.due && timer.order < first.order))
      first = timer;
  }
  return first;
}
