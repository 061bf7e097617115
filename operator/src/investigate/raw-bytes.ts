import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';

/** The redacted answer of a tool as it is kept for people and for taking up a journal again. */
export interface RawBytes {
  readonly sha256: string;
  readonly content: Uint8Array;
  readonly encoding: 'identity' | 'gzip';
  readonly contentType: string;
  readonly byteSize: number;
}

/** Smaller answers are not worth the processor's time. */
const GZIP_FROM = 4_096;

export function encodeRaw(raw: unknown, contentType: string): RawBytes {
  const text = typeof raw === 'string' ? raw : JSON.stringify(raw, markDates, 1);
  const bytes = Buffer.from(text, 'utf8');
  const gzip = bytes.length >= GZIP_FROM;
  return {
    sha256: sha256Hex(bytes),
    content: gzip ? gzipSync(bytes, { level: 1 }) : bytes,
    encoding: gzip ? 'gzip' : 'identity',
    contentType,
    byteSize: bytes.length,
  };
}

export function decodeRaw(raw: Pick<RawBytes, 'content' | 'encoding' | 'contentType'>): unknown {
  const bytes = raw.encoding === 'gzip' ? gunzipSync(raw.content) : Buffer.from(raw.content);
  const text = bytes.toString('utf8');
  return raw.contentType.startsWith('application/json') ? JSON.parse(text, reviveDates) : text;
}

export function sha256Hex(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Dates must come back as dates; a string that looks like one must stay a string. */
function markDates(this: unknown, key: string, value: unknown): unknown {
  const holder = this as Readonly<Record<string, unknown>>;
  return holder[key] instanceof Date ? { $date: value } : value;
}

function reviveDates(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const marked = (value as { readonly $date?: unknown }).$date;
  return typeof marked === 'string' && Object.keys(value).length === 1 ? new Date(marked) : value;
}
