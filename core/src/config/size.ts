import { z } from 'zod';

const BYTES_PER_UNIT = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;
const SIZE = /^(\d+)(B|KiB|MiB|GiB)$/;

/** Bytes of a size such as `512KiB` or `4MiB`; `undefined` when the text is none. */
export function parseSize(text: string): number | undefined {
  const match = SIZE.exec(text);
  if (match === null) return undefined;
  const bytes = Number(match[1]) * BYTES_PER_UNIT[match[2] as keyof typeof BYTES_PER_UNIT];
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** The shortest exact form, for messages and documents. */
export function formatSize(bytes: number): string {
  for (const unit of ['GiB', 'MiB', 'KiB'] as const) {
    if (bytes >= BYTES_PER_UNIT[unit] && bytes % BYTES_PER_UNIT[unit] === 0)
      return `${bytes / BYTES_PER_UNIT[unit]}${unit}`;
  }
  return `${bytes}B`;
}

/** A configured number of bytes: written as text with a binary unit, read as a number. `min` and `max` are sizes too. */
export function size(byDefault: string, bounds: { readonly min: string; readonly max: string }) {
  const low = parseSize(bounds.min) ?? 0;
  const high = parseSize(bounds.max) ?? 0;
  return z
    .string()
    .transform((text, context) => {
      const bytes = parseSize(text);
      if (bytes !== undefined && bytes >= low && bytes <= high) return bytes;
      context.addIssue({
        code: 'custom',
        message: `expected a size such as \`4MiB\` from ${bounds.min} to ${bounds.max}`,
      });
      return z.NEVER;
    })
    .prefault(byDefault)
    .meta({ format: 'size' });
}
