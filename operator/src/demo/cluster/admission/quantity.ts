import { FACTORS, parseQuantity } from '@hephaisto/core/facts/quantity';

export const QUANTITY_FORM =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

const DECIMAL: readonly (readonly [string, number])[] = [
  ['E', 1e21],
  ['P', 1e18],
  ['T', 1e15],
  ['G', 1e12],
  ['M', 1e9],
  ['k', 1e6],
  ['', 1e3],
  ['m', 1],
];
const BINARY = ['Ei', 'Pi', 'Ti', 'Gi', 'Mi', 'Ki'];

/** How the API server writes the quantity back: the largest unit that leaves a whole number (`1024Mi` is `1Gi`, `0.5` is `500m`). */
export function canonicalQuantity(value: unknown): unknown {
  const amount = parseQuantity(value);
  const text = String(value);
  if (amount === undefined || /[eE][+-]?\d|[nu]$/.test(text)) return typeof value === 'number' ? text : value;
  if (text.endsWith('i') && Number.isInteger(amount) && amount !== 0) {
    const unit = BINARY.find((suffix) => amount % (FACTORS[suffix] ?? 1) === 0);
    return unit === undefined ? String(amount) : `${amount / (FACTORS[unit] ?? 1)}${unit}`;
  }
  const thousandths = Math.ceil(amount * 1000 - 1e-6);
  const [suffix, size] = DECIMAL.find(([, size]) => thousandths % size === 0) ?? ['m', 1];
  return thousandths === 0 ? '0' : `${thousandths / size}${suffix}`;
}
