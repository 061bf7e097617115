import { parseQuantity } from '@hephaisto/core/facts/quantity';

/**
 * A Kubernetes quantity in base units (cores, bytes, pieces). Text that is no quantity counts as zero: the API server refuses such
 * objects before they are stored, and a scheduler that throws would stop placing every other pod.
 */
export function quantity(text: string | number | undefined): number {
  return parseQuantity(text) ?? 0;
}

/** Whole thousandths, rounded up, so that sums of CPU shares stay exact. */
export function milli(text: string | number | undefined): number {
  return Math.ceil(Number((quantity(text) * 1000).toFixed(6)));
}
