const FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/**
 * A Kubernetes quantity in base units (cores, bytes, pieces). Text that is no quantity counts as zero: the API server refuses such
 * objects before they are stored, and a scheduler that throws would stop placing every other pod.
 */
export function quantity(text: string | number | undefined): number {
  if (text === undefined) return 0;
  const match = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$/.exec(String(text).trim());
  const value = Number(match?.[1]);
  return match === null || Number.isNaN(value) ? 0 : value * (FACTORS[match[2] ?? ''] ?? 0);
}

/** Whole thousandths, rounded up, so that sums of CPU shares stay exact. */
export function milli(text: string | number | undefined): number {
  return Math.ceil(Number((quantity(text) * 1000).toFixed(6)));
}
