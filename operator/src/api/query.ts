import { isStorableTime } from '@hephaisto/core/signal/storable-time';
import { z } from 'zod';

/** A filter that takes one value, several, or several in one separated by commas. */
export function manyOf<T extends string>(values: readonly [T, ...T[]] | readonly T[]) {
  return z
    .preprocess(splitList, z.array(z.enum(values as readonly [T, ...T[]])).max(50))
    .prefault([])
    .meta({ description: 'Several are separated by commas' });
}

export function manyTexts() {
  return z
    .preprocess(splitList, z.array(z.string().min(1).max(253)).max(50))
    .prefault([])
    .meta({ description: 'Several are separated by commas' });
}

function splitList(value: unknown): unknown {
  if (value === undefined) return [];
  const parts = Array.isArray(value) ? value : [value];
  return parts.flatMap((part) => (typeof part === 'string' ? part.split(',').filter((piece) => piece !== '') : [part]));
}

/** `true` or `false` in a query. */
export const QueryFlag = z.enum(['true', 'false']).transform((text) => text === 'true');

export const paging = {
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().min(1).max(200).optional().meta({ description: '`next` of the page before' }),
};

export const Since = z.iso
  .datetime({ offset: true })
  .refine((text) => isStorableTime(new Date(text)), 'expected a year from 1 to 9999')
  // RFC 3339 allows offsets that the database refuses; in UTC every accepted time has one spelling.
  .transform((text) => new Date(text).toISOString())
  .optional()
  .meta({ description: 'RFC 3339' });
export const SearchText = z.string().min(1).max(200).optional();

/** The version a writer has seen, from `If-Match`. */
export function versionOf(ifMatch: string | undefined): number | undefined {
  const digits = /^(?:W\/)?"(\d{1,15})"$/.exec(ifMatch ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export function etagOf(version: number): string {
  return `"${version}"`;
}
