/** A piece of a long text as numbers, since reading an array costs a fraction of asking a string for each of its characters. */
export interface CodeWindow {
  /** UTF-16 codes. Behind the last that was loaded stands a zero. */
  readonly codes: Uint16Array;
  /** Makes `text[from, to]` readable, far shorter than a piece; returns where `from` stands in `codes`. */
  load(text: string, from: number, to: number): number;
}

const PIECE = 16_384;
const ENCODER = new TextEncoder();

export function createCodeWindow(): CodeWindow {
  const codes = new Uint16Array(PIECE + 1);
  const bytes = new Uint8Array(PIECE);
  let loaded = '';
  let start = 0;
  let end = 0;

  function fill(text: string, from: number): void {
    loaded = text;
    start = from;
    end = Math.min(text.length, from + PIECE);
    const piece = text.slice(from, end);
    const { read, written } = ENCODER.encodeInto(piece, bytes);
    // A byte for every character: nothing but ASCII, whose bytes are its codes.
    if (read === piece.length && written === piece.length) codes.set(bytes.subarray(0, written));
    else for (let i = 0; i < piece.length; i += 1) codes[i] = piece.charCodeAt(i);
    codes[piece.length] = 0;
  }

  return {
    codes,
    load(text, from, to) {
      if (text !== loaded || from < start || (to >= end && end < text.length)) fill(text, from);
      // The very same string is told at a glance the next time, an equal one is read through.
      loaded = text;
      return from - start;
    },
  };
}
