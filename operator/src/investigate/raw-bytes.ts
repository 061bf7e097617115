import { createHash } from 'node:crypto';
import { gunzip, gzip } from 'node:zlib';
import { inTurns, type YieldToEventLoop } from '../flow/event-loop-turns.ts';
import { jsonInSteps, reviveDatesInSteps } from './json-in-steps.ts';

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
/** Bytes that are hashed at one go. */
const BYTES_PER_STEP = 1_048_576;

// The forms of zlib that take a callback work on a thread of their own.
function compress(bytes: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    gzip(bytes, { level: 1 }, (error, result) => (error === null ? resolve(result) : reject(error)));
  });
}

function decompress(bytes: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    gunzip(bytes, (error, result) => (error === null ? resolve(result) : reject(error)));
  });
}

/** An answer may have 16 MiB: it is written, hashed and compressed in turns, none of which holds the event loop. */
export async function encodeRaw(
  raw: unknown,
  contentType: string,
  yieldToEventLoop: YieldToEventLoop,
): Promise<RawBytes> {
  const chunks = typeof raw === 'string' ? [raw] : await inTurns(jsonInSteps(raw), yieldToEventLoop);
  const encoded: Buffer[] = [];
  for (const chunk of chunks) {
    await yieldToEventLoop();
    encoded.push(Buffer.from(chunk, 'utf8'));
  }
  const bytes = Buffer.concat(encoded);
  const isCompressed = bytes.length >= GZIP_FROM;
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += BYTES_PER_STEP) {
    await yieldToEventLoop();
    hash.update(bytes.subarray(at, at + BYTES_PER_STEP));
  }
  return {
    sha256: hash.digest('hex'),
    content: isCompressed ? await compress(bytes) : bytes,
    encoding: isCompressed ? 'gzip' : 'identity',
    contentType,
    byteSize: bytes.length,
  };
}

/** Reads what `encodeRaw` wrote. Only the parse itself cannot be divided; a reviver would make it forty times as long. */
export async function decodeRaw(
  raw: Pick<RawBytes, 'content' | 'encoding' | 'contentType'>,
  yieldToEventLoop: YieldToEventLoop,
): Promise<unknown> {
  const bytes = raw.encoding === 'gzip' ? await decompress(raw.content) : Buffer.from(raw.content);
  const text = bytes.toString('utf8');
  if (!raw.contentType.startsWith('application/json')) return text;
  await yieldToEventLoop();
  const value: unknown = JSON.parse(text);
  return text.includes('"$date"') ? await inTurns(reviveDatesInSteps(value), yieldToEventLoop) : value;
}

export function sha256Hex(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
