import { type ControllerContext, type Running, removeIfPresent } from '../runtime/context.ts';
import { EVENTS } from '../shape/resources.ts';
import { expiredEvents } from './expired-events.ts';

/** Real milliseconds between two sweeps. */
const SWEEP = 300_000;

/** Drops old Events, so that a cluster that is left running does not grow for ever. */
export function startEventExpiry({ store, pace }: ControllerContext): Running {
  let cancel = (): void => {};
  const sweep = (): void => {
    for (const event of expiredEvents(store.list(EVENTS), pace.now())) removeIfPresent(store, EVENTS, event);
    cancel = pace.after(SWEEP * pace.speed, sweep);
  };
  sweep();
  return { close: () => cancel() };
}
