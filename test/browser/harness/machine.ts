import { availableParallelism, loadavg } from 'node:os';

const MOST = 4;

/**
 * How many times longer work may take now than on a machine that does nothing else: runnable processes of the last minute over processors.
 * Limits in milliseconds are multiplied by it, since they are promises about the product and not about its neighbours. At least 1, at most 4: beyond
 * that nothing would be measured any more.
 */
export function slowness(): number {
  const [lastMinute = 0] = loadavg();
  return Math.min(MOST, Math.max(1, lastMinute / availableParallelism()));
}
