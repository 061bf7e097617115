import { cpuUsage } from 'node:process';

const LOOK_MS = 400;
const BEST = 1;

/**
 * How many times longer work takes now than on a machine that does nothing else: the time that a busy loop took, over the processor time
 * that it got. Limits in milliseconds are multiplied by it, since they are promises about the product and not about its neighbours.
 */
export function slowness(): number {
  const before = cpuUsage();
  const started = performance.now();
  let spins = 0;
  while (performance.now() - started < LOOK_MS) spins += Math.sqrt(spins + 1);
  const wall = performance.now() - started;
  const used = cpuUsage(before);
  const got = (used.user + used.system) / 1000;
  return spins > 0 && got > 0 ? Math.max(BEST, wall / got) : BEST;
}
