import { matchAt } from './span.ts';

/** A value as it stands: `from` and `to` without its quotes. `quoted` values end where their quotes do. */
export interface ReadValue {
  readonly from: number;
  readonly to: number;
  readonly quoted: boolean;
}

const OPENING = /(?:[NEbu](?='))?(\\{0,7})(["'`])|%(?:25)?2[27]|&quot;|&#3[49];|(\\{1,4})u0022/iy;
/** What begins the next pair: `&user=`, `, "port":`, `;Pooling=`. */
const NEXT_PAIR = /(?:[,;]|&(?:amp;)?|\\u0026|%26)[ \t]?\\{0,7}["']?[\w.-]{1,64}\\{0,7}["']?[ \t]?(?:[=:]|%3D)/iy;
const BEHIND_QUOTE = /[\s,;)\]}:>&]|$|\\[nrt]/y;
const BEHIND_CLOSING = /[)\]}]{0,16}(?:[\s,;."'`<]|$|\\["'nrt])/y;

/**
 * Reads the value that begins at `at`, in quotes of any depth of escaping or bare. Never beyond its line, nor beyond `limit`. In `encoded`
 * text a percent sign may be a quote, a blank or the next pair.
 */
export function readValue(text: string, at: number, { encoded = false, limit = text.length } = {}): ReadValue {
  const opening = matchAt(OPENING, text, at);
  if (opening !== null) {
    const from = at + opening[0].length;
    const quote = opening[2];
    const to =
      quote === undefined
        ? plainClosing(text, from, limit, opening[0])
        : quoteEnd(text, from, limit, quote, (opening[1] ?? '').length);
    return { from, to, quoted: true };
  }
  return { from: at, to: bareEnd(text, at, limit, encoded), quoted: false };
}

function isLineEnd(code: number): boolean {
  return code === 10 || code === 13;
}

/** A quote that was never closed belongs to a value that was cut: the rest of the line is taken. */
function plainClosing(text: string, from: number, limit: number, closing: string): number {
  let line = from;
  while (line < limit && !isLineEnd(text.charCodeAt(line))) {
    if (text.startsWith(closing, line)) return line;
    line += 1;
  }
  return line;
}

/** The closing quote has as many backslashes before it as the opening one; with none, each pair of backslashes is one of the value. */
function quoteEnd(text: string, from: number, limit: number, quote: string, depth: number): number {
  let backslashes = 0;
  let last = -1;
  let at = from;
  for (; at < limit; at += 1) {
    const code = text.charCodeAt(at);
    if (isLineEnd(code)) break;
    if (code === 92) {
      backslashes += 1;
      continue;
    }
    if (text[at] === quote && (depth === 0 ? backslashes % 2 === 0 : backslashes <= depth)) {
      last = at - (depth === 0 ? 0 : backslashes);
      // `'it's'`: a quote that a letter follows is part of the value.
      if (!isWordCode(text.charCodeAt(at + 1))) return Math.max(last, from);
    }
    backslashes = 0;
  }
  return last >= 0 ? Math.max(last, from) : at;
}

function isWordCode(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

/** Up to a blank, or to what can only be the text around: a quote before a comma, a bracket that the value did not open, the next pair. */
function bareEnd(text: string, from: number, limit: number, encoded: boolean): number {
  let open = 0;
  let at = from;
  for (; at < limit; at += 1) {
    const code = text.charCodeAt(at);
    // `two\ words`: a shell takes a blank behind a backslash for a character of the word.
    if (code === 32 && at > from && text.charCodeAt(at - 1) === 92 && text.charCodeAt(at + 1) > 32) continue;
    if (code <= 32 || code === 127) break;
    if (encoded && code === 37 && /^%(?:25)?(?:2[0267]|0[aAdD])/.test(text.slice(at, at + 5))) break;
    const isEnd = ENDS.get(code);
    if (isEnd === undefined) continue;
    if (code === 40 || code === 91 || code === 123) open += 1;
    else if ((code === 41 || code === 93 || code === 125) && open > 0) open -= 1;
    else if (isEnd(text, at)) break;
  }
  return at;
}

type Ends = (text: string, at: number) => boolean;

const beforeClosing: Ends = (text, at) => matchAt(BEHIND_CLOSING, text, at + 1) !== null;
const beforeQuote: Ends = (text, at) => matchAt(BEHIND_QUOTE, text, at + 1) !== null;
const beforePair: Ends = (text, at) => isOuter(text.charCodeAt(at + 1)) || matchAt(NEXT_PAIR, text, at) !== null;
const never: Ends = () => false;

/** By code: whether a character that may end a bare value does so here. */
const ENDS: ReadonlyMap<number, Ends> = new Map<number, Ends>([
  ...['(', '[', '{'].map((each): [number, Ends] => [each.charCodeAt(0), never]),
  ...[')', ']', '}'].map((each): [number, Ends] => [each.charCodeAt(0), beforeClosing]),
  ...['"', "'", '`'].map((each): [number, Ends] => [each.charCodeAt(0), beforeQuote]),
  ...[',', ';', '&'].map((each): [number, Ends] => [each.charCodeAt(0), beforePair]),
  ['<'.charCodeAt(0), (text, at) => text[at + 1] === '/'],
  [
    '\\'.charCodeAt(0),
    (text, at) => /^\\{1,7}(?:[nrt]|u0026|$)/.test(text.slice(at, at + 12)) || isQuoteEscape(text, at),
  ],
]);

function isOuter(code: number): boolean {
  return Number.isNaN(code) || code <= 32;
}

function isQuoteEscape(text: string, at: number): boolean {
  const run = /^\\{1,7}["'`]/.exec(text.slice(at, at + 8));
  return run !== null && matchAt(BEHIND_QUOTE, text, at + run[0].length) !== null;
}
