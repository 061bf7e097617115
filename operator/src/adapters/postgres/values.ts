import { cleanJsonText, cleanText } from '@hephaisto/core/signal/clean-text';

/** How values travel: everything goes out as PostgreSQL's text form and comes back through one table of parsers, so that both adapters agree. */

export type WireValue = string | null;

/**
 * Turns a parameter into PostgreSQL's text form. `undefined` is null; an array is a PostgreSQL array; any other object is JSON.
 * What no column can hold, NUL and halves of
 * characters, is left out: one such character in a log line must not cost the row.
 */
export function encodeValue(value: unknown): WireValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return cleanText(value);
  if (typeof value === 'boolean') return value ? 't' : 'f';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array)
    return `\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`;
  if (Array.isArray(value)) return encodeArray(value);
  return cleanJsonText(value);
}

function encodeArray(items: readonly unknown[]): string {
  return `{${items.map((item) => (Array.isArray(item) ? encodeArray(item) : quoteItem(encodeValue(item)))).join(',')}}`;
}

function quoteItem(item: WireValue): string {
  return item === null ? 'NULL' : `"${item.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** Reads a one-dimensional PostgreSQL array literal. */
export function parseArray<Item>(text: string, parseItem: (item: string) => Item): (Item | null)[] {
  const items: (Item | null)[] = [];
  let index = 1;
  while (index < text.length - 1) {
    if (text[index] === ',') {
      index += 1;
      continue;
    }
    const read = text[index] === '"' ? readQuoted(text, index + 1) : readBare(text, index);
    items.push(read.quoted || read.text !== 'NULL' ? parseItem(read.text) : null);
    index = read.next;
  }
  return items;
}

interface ReadItem {
  readonly text: string;
  readonly quoted: boolean;
  readonly next: number;
}

function readQuoted(text: string, start: number): ReadItem {
  let item = '';
  let index = start;
  while (index < text.length && text[index] !== '"') {
    if (text[index] === '\\') index += 1;
    item += text[index] ?? '';
    index += 1;
  }
  return { text: item, quoted: true, next: index + 1 };
}

function readBare(text: string, start: number): ReadItem {
  let index = start;
  while (index < text.length && text[index] !== ',' && text[index] !== '}') index += 1;
  return { text: text.slice(start, index), quoted: false, next: index };
}

function asIs(text: string): string {
  return text;
}

function parseBoolean(text: string): boolean {
  return text === 't';
}

function parseWhole(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}

function parseTimestamp(text: string): Date {
  // PostgreSQL writes `2026-01-02 03:04:05.678901+00`; the zone is always UTC here. Infinity has no Date and no column of ours holds it.
  return new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));
}

function parseBytes(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text.slice(2), 'hex'));
}

const SCALARS: Readonly<Record<number, (text: string) => unknown>> = {
  16: parseBoolean,
  17: parseBytes,
  20: parseWhole,
  21: Number,
  23: Number,
  26: Number,
  114: JSON.parse,
  700: Number,
  701: Number,
  1184: parseTimestamp,
  3802: JSON.parse,
};

/** Array type → element type, for the arrays that statements of ours return. */
const ARRAYS: Readonly<Record<number, number>> = {
  199: 114,
  1000: 16,
  1001: 17,
  1005: 21,
  1007: 23,
  1009: 25,
  1014: 1042,
  1015: 1043,
  1016: 20,
  1022: 701,
  1028: 26,
  1185: 1184,
  1231: 1700,
  2951: 2950,
  3807: 3802,
};

/** The parser of a type's text form by its oid; types without one of their own stay text, numeric, date and interval among them. */
export function parserOf(oid: number): (text: string) => unknown {
  const element = ARRAYS[oid];
  if (element === undefined) return SCALARS[oid] ?? asIs;
  const parseItem = SCALARS[element] ?? asIs;
  return (text) => parseArray(text, parseItem);
}
