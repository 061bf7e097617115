/** The engine's own encoder pays for itself from here on. */
const LONG = 256;
const PIECE = 16_384;
const ENCODER = new TextEncoder();
const SCRATCH = new Uint8Array(3 * PIECE + 3);

/** UTF-8 length in bytes; a lone surrogate counts as the replacement character. */
export function utf8Bytes(text: string): number {
  return text.length < LONG ? countBytes(text) : encodedBytes(text);
}

function encodedBytes(text: string): number {
  let bytes = 0;
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + PIECE);
    // A pair must not be parted, or each half would count as a replacement character.
    if (to < text.length && isLowSurrogate(text.charCodeAt(to))) to += 1;
    bytes += ENCODER.encodeInto(text.slice(from, to), SCRATCH).written;
    from = to;
  }
  return bytes;
}

function countBytes(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code < 0x80) bytes += 1;
    else if (code < 0x800) bytes += 2;
    else if (code >= 0xd800 && code < 0xdc00 && isLowSurrogate(text.charCodeAt(i + 1))) {
      bytes += 4;
      i += 1;
    } else bytes += 3;
  }
  return bytes;
}

/** The longest beginning of at most `maxBytes` that splits no character. */
export function utf8Head(text: string, maxBytes: number): string {
  let bytes = 0;
  let i = 0;
  while (i < text.length) {
    const code = text.charCodeAt(i);
    const pair = code >= 0xd800 && code < 0xdc00 && isLowSurrogate(text.charCodeAt(i + 1));
    bytes += pair ? 4 : code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
    if (bytes > maxBytes) break;
    i += pair ? 2 : 1;
  }
  return text.slice(0, i);
}

/** Text that any store and any wire takes: without NUL, lone surrogates replaced. Applied once, at capture. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}
