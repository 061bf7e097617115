import type { IntOrPercent } from './workloads.ts';

/**
 * Resolves an absolute number or a percentage of `total`; a percentage that does not come out whole is rounded as told.
 * Text that is neither counts as zero, since validation refuses it before it is stored.
 */
export function scaledValue(value: IntOrPercent, total: number, rounding: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const match = /^(\d+)%$/.exec(value);
  if (match === null) return 0;
  const exact = (Number(match[1]) * total) / 100;
  return rounding === 'up' ? Math.ceil(exact) : Math.floor(exact);
}
