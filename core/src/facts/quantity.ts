import type { ResourceAmounts } from './facts.ts';
import { given, type Raw } from './raw.ts';

/** What a suffix multiplies by. */
export const FACTORS: Readonly<Record<string, number>> = {
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

const QUANTITY = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:([eE][+-]?\d+)|([numkMGTPE]|[KMGTPE]i))?$/;

/** A Kubernetes quantity in its base unit (cores, bytes, pieces); undefined for anything that is not one. */
export function parseQuantity(quantity: unknown): number | undefined {
  if (typeof quantity === 'number') return Number.isFinite(quantity) ? quantity : undefined;
  if (typeof quantity !== 'string') return undefined;
  const match = QUANTITY.exec(quantity);
  if (match === null) return undefined;
  const [, digits = '', exponent, suffix = ''] = match;
  const value = exponent === undefined ? Number(digits) * (FACTORS[suffix] ?? Number.NaN) : Number(digits + exponent);
  return Number.isFinite(value) ? value : undefined;
}

/** Millicores, rounded up as the API does with finer fractions. */
export function parseCpuMillis(quantity: unknown): number | undefined {
  return roundedUp(parseQuantity(quantity), 1000);
}

/** Bytes, rounded up. */
export function parseMemoryBytes(quantity: unknown): number | undefined {
  return roundedUp(parseQuantity(quantity), 1);
}

/** Cpu and memory of a resource list. */
export function projectAmounts(resources: Raw): ResourceAmounts {
  return {
    ...given('cpuMillis', parseCpuMillis(resources.cpu)),
    ...given('memoryBytes', parseMemoryBytes(resources.memory)),
  };
}

/** The shortest exact form in binary units: `64Mi`, `1536Mi`, `1000`. */
export function formatMemory(bytes: number): string {
  const units = ['Gi', 'Mi', 'Ki'] as const;
  for (const unit of units) {
    const factor = FACTORS[unit] ?? 1;
    if (bytes >= factor && bytes % factor === 0) return `${bytes / factor}${unit}`;
  }
  return String(bytes);
}

/** `500m`, `2`. */
export function formatCpu(millis: number): string {
  return millis % 1000 === 0 ? String(millis / 1000) : `${millis}m`;
}

function roundedUp(value: number | undefined, factor: number): number | undefined {
  if (value === undefined) return undefined;
  // 0.1 × 1000 must stay 100: binary noise far below one unit is not a fraction.
  return Math.ceil(Number((value * factor).toPrecision(15)));
}
