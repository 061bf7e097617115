import type { Clock, Timers } from '@hephaisto/core/ports/clock';
import type { Steps } from '@hephaisto/core/steps';

/** How long a loop may keep probes, requests and timers waiting. */
const MAX_HOLD_MS = 10;

/** Gives the event loop a turn when the calling loop has held it for long enough; resolves at once otherwise. */
export type YieldToEventLoop = () => Promise<void>;

/** For a loop over outside data, whose length and cost for each item somebody else decides: call it between two items. */
export function createYield(deps: {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Pick<Timers, 'sleep'>;
}): YieldToEventLoop {
  let since = deps.clock.monotonicMs();
  return async () => {
    if (deps.clock.monotonicMs() - since < MAX_HOLD_MS) return;
    await deps.timers.sleep(0);
    since = deps.clock.monotonicMs();
  };
}

/** Does work that comes in steps; the event loop gets a turn between two of them. */
export async function inTurns<T>(steps: Steps<T>, yieldToEventLoop: YieldToEventLoop): Promise<T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    await yieldToEventLoop();
  }
}
