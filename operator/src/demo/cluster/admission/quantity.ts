/** A Kubernetes quantity as a number (`1500m` is 1.5, `1Ki` is 1024); undefined when the text is none. */
export function parseQuantity(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return undefined;
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+))(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d+)?$/.exec(text);
  if (!match) return undefined;
  const [, digits = '', suffix = ''] = match;
  const factor = FACTORS[suffix] ?? 10 ** Number(suffix.slice(1));
  return Number(digits) * factor;
}

const FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
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
