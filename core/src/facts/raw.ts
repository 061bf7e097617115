import { isStorableTime } from '../signal/storable-time.ts';

/**
 * Reading of untyped API objects. Nothing here throws: a field of the wrong type counts as absent, since one odd object must not
 * blind the product to all the others.
 */
export type Raw = Readonly<Record<string, unknown>>;

const NOTHING: Raw = Object.freeze({});

/** The value as a record, or an empty one. */
export function asRecord(value: unknown): Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Raw) : NOTHING;
}

/** The record at a path of keys, or an empty one. */
export function recordAt(value: unknown, ...path: readonly string[]): Raw {
  return path.reduce<Raw>((at, key) => asRecord(at[key]), asRecord(value));
}

/** The items that are records. */
export function recordsAt(value: Raw, key: string): readonly Raw[] {
  const list = value[key];
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

export function textAt(value: Raw, key: string): string | undefined {
  const found = value[key];
  return typeof found === 'string' ? found : undefined;
}

export function textsAt(value: Raw, key: string): readonly string[] {
  const list = value[key];
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

/** A finite number; decimal text counts, since some writers quote numbers. */
export function numberAt(value: Raw, key: string): number | undefined {
  const found = value[key];
  const number = typeof found === 'string' && found.trim() !== '' ? Number(found) : found;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

export function instantAt(value: Raw, key: string): Date | undefined {
  const found = textAt(value, key);
  if (found === undefined) return undefined;
  const date = new Date(found);
  return isStorableTime(date) ? date : undefined;
}

/** Entries of a string map; others are left out. */
export function stringMapAt(value: Raw, key: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(asRecord(value[key])).filter(isStringEntry));
}

/** `{key: value}`, or nothing when the value is absent, so that optional fields stay absent rather than undefined. */
export function given<Key extends string, Value>(key: Key, value: Value | undefined): { readonly [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: Value };
}

function isRecord(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isStringEntry(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === 'string';
}
