/** What is heard, answered in turns: never two at once, and never more often than the pace allows. */
export interface Turns {
  /** Something happened to these. The next turn answers it: at once when none is under way and the last one lies long enough behind. */
  ask(names: Iterable<string>): void;
  /** When the oldest thing was heard that no finished turn has answered yet, in milliseconds of `now`; undefined when all is answered. */
  behindSince(): number | undefined;
  close(): void;
}

export interface Pace {
  /** How long the first thing heard waits for others, so that a transaction's worth is answered in one turn. Milliseconds. */
  readonly gatherMs: number;
  /** Least time from the start of a turn to the start of the next, in milliseconds; asked at each start. */
  restMs(): number;
  /** How long to wait after a turn that failed, in milliseconds. */
  readonly failedMs: number;
  /** A turn that takes longer counts as failed, or one that never ends would be the last. Milliseconds. */
  readonly patienceMs: number;
  now(): number;
}

/**
 * Calls `turn` with all that was heard since the last one. A turn that is under way is left to finish, since starting it anew at each event
 * would never finish it while events pour in; what is heard meanwhile waits for one more turn. What `turn` answers was left undone is asked
 * again in the next one; when it rejects, that is everything.
 */
export function createTurns(turn: (names: ReadonlySet<string>) => Promise<Iterable<string>>, pace: Pace): Turns {
  let waiting = new Set<string>();
  let waitingSince: number | undefined;
  let runningSince: number | undefined;
  let running = false;
  let closed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function ask(names: Iterable<string>, since: number): void {
    for (const name of names) {
      waiting.add(name);
      waitingSince = Math.min(waitingSince ?? since, since);
    }
  }

  function hold(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = undefined;
      next();
    }, ms);
  }

  function next(): void {
    if (closed || running || timer !== undefined || waiting.size === 0) return;
    const [taken, since] = [waiting, waitingSince ?? pace.now()];
    waiting = new Set();
    waitingSince = undefined;
    running = true;
    runningSince = since;
    hold(pace.restMs());
    void carryOut(taken, since);
  }

  async function carryOut(taken: ReadonlySet<string>, since: number): Promise<void> {
    try {
      ask(await within(pace.patienceMs, turn(taken)), since);
    } catch {
      ask(taken, since);
      if (!closed) hold(pace.failedMs);
    }
    running = false;
    runningSince = undefined;
    next();
  }

  return {
    ask(names) {
      ask(names, pace.now());
      if (!running && timer === undefined && waiting.size > 0 && !closed) hold(pace.gatherMs);
    },
    behindSince: () => runningSince ?? waitingSince,
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/** What comes of `work`; rejects when nothing has after so many milliseconds. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`expected an end within ${ms} ms, found none`)), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
