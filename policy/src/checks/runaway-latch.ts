import { type Check, clear, violated } from '../check.ts';

export const runawayLatch: Check = ({ runawayLatch: latch }) =>
  latch.on ? violated('runaway_latch', latch.why) : clear('no latch is set');
