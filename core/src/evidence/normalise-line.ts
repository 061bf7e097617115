/**
 * Lines that say the same with other numbers become the same text: UUIDs, IP addresses, durations, hex ids and integers each become
 * one placeholder. One placeholder for all five, since a hex id without a letter looks like an integer, and two lines that
 * differ only in such an id must not be told apart.
 *
 * One pass over character codes into a reused buffer, without a substring or a regular expression a line: a million lines a second pass here.
 */
export interface LineNormaliser {
  /** Normalises `text[from, to)` into the buffer; returns its length there. */
  run(text: string, from: number, to: number): number;
  /** 53 bits of hash over the last result, for telling clusters apart. */
  readonly hash: number;
  readonly text: () => string;
}

/** Longest part of a line that takes part; what follows does not make a cluster of its own. */
const LONGEST = 4_096;
const PLACEHOLDER = 0xe000;
const DIGIT = 1;
const HEX_LETTER = 2;
const LETTER = 4;
const DASH = 45;
const DOT = 46;
const COLON = 58;

/** One entry a code, so that looking up needs no bound. */
const CLASS = new Uint8Array(65_536);
for (let code = 48; code < 58; code += 1) CLASS[code] = DIGIT;
for (let code = 65; code < 91; code += 1) CLASS[code] = code < 71 ? HEX_LETTER : LETTER;
for (let code = 97; code < 123; code += 1) CLASS[code] = code < 103 ? HEX_LETTER : LETTER;

function classOf(code: number): number {
  return CLASS[code] ?? 0;
}

export function createLineNormaliser(): LineNormaliser {
  const buffer = new Uint16Array(LONGEST + 8);
  let length = 0;
  let low = 0;
  let high = 0;

  function run(text: string, from: number, to: number): number {
    // Locals, not the closure's variables: they are written for every character.
    let n = 0;
    let a = 0x811c9dc5 | 0;
    let b = 0x27d4eb2f | 0;
    const end = Math.min(to, from + LONGEST);
    let at = from;
    while (at < end) {
      let code = text.charCodeAt(at);
      let kind = classOf(code);
      if (kind === 0) {
        at += 1;
        buffer[n] = code;
        n += 1;
        a = Math.imul(a ^ code, 0x01000193);
        b = Math.imul(b ^ code, 0x5bd1e995) ^ (b >>> 15);
        continue;
      }
      // A token is taken for a word while it is read, since most are; what it turns out to be instead is put in its place.
      const [n0, a0, b0] = [n, a, b];
      let stop = at;
      let kinds = 0;
      do {
        kinds |= kind;
        buffer[n] = code;
        n += 1;
        a = Math.imul(a ^ code, 0x01000193);
        b = Math.imul(b ^ code, 0x5bd1e995) ^ (b >>> 15);
        stop += 1;
        if (stop >= end) break;
        code = text.charCodeAt(stop);
        kind = classOf(code);
      } while (kind !== 0);
      const variable = kinds === LETTER ? -1 : variableEnd(text, at, stop, end, kinds);
      at = stop;
      if (variable < 0) continue;
      at = variable;
      buffer[n0] = PLACEHOLDER;
      n = n0 + 1;
      a = Math.imul(a0 ^ PLACEHOLDER, 0x01000193);
      b = Math.imul(b0 ^ PLACEHOLDER, 0x5bd1e995) ^ (b0 >>> 15);
    }
    length = n;
    low = a;
    high = b;
    return n;
  }

  return {
    run,
    get hash() {
      return (low >>> 0) * 0x200000 + (high >>> 11);
    },
    text: () => renderNormalised(buffer.subarray(0, length)),
  };
}

/** The normalised form of one line, as text with `<*>` in the places that vary. */
export function normaliseLine(line: string): string {
  const normaliser = createLineNormaliser();
  normaliser.run(line, 0, line.length);
  return normaliser.text();
}

function renderNormalised(codes: Uint16Array): string {
  return String.fromCharCode(...codes).replaceAll(String.fromCharCode(PLACEHOLDER), '<*>');
}

/** Where the variable part that begins with the token `[at, stop)` ends, or -1 when the token is a word. */
function variableEnd(text: string, at: number, stop: number, end: number, kinds: number): number {
  if ((kinds & LETTER) === 0) {
    if (stop - at === 8 && text.charCodeAt(stop) === DASH && isUuid(text, at, end)) return at + 36;
    if (stop - at <= 4 && text.charCodeAt(stop) === COLON) {
      const address = ipv6End(text, at, end);
      if (address > 0) return address;
    }
  }
  if (kinds === DIGIT || isHex(text, at, stop, kinds) || isDuration(text, at, stop)) return numberEnd(text, stop, end);
  return -1;
}

function isHex(text: string, at: number, stop: number, kinds: number): boolean {
  if ((kinds & LETTER) === 0) return (kinds & DIGIT) !== 0 ? stop - at >= 6 : stop - at >= 8;
  if (text.charCodeAt(at) !== 48 || (text.charCodeAt(at + 1) | 32) !== 120 || stop - at < 3) return false;
  for (let i = at + 2; i < stop; i += 1) if ((classOf(text.charCodeAt(i)) & LETTER) !== 0) return false;
  return true;
}

/** Digits with units, once or several times: `5s`, `250ms`, `1h2m3s`; and the parts of a time in the middle of a line, `01T12`, `07Z`. */
function isDuration(text: string, at: number, stop: number): boolean {
  let i = at;
  let unit = 0;
  if (classOf(text.charCodeAt(i)) !== DIGIT) return false;
  while (i < stop) {
    const digits = i;
    while (i < stop && classOf(text.charCodeAt(i)) === DIGIT) i += 1;
    if (i === digits) return false;
    if (i === stop) return unit === 84;
    unit = text.charCodeAt(i);
    const second = i + 1 < stop ? text.charCodeAt(i + 1) : 0;
    // n, u, m before s; then h, m, s, d alone.
    if (second === 115 && (unit === 110 || unit === 117 || unit === 109)) i += 2;
    else if (unit === 104 || unit === 109 || unit === 115 || unit === 100 || unit === 84 || unit === 90) i += 1;
    else return false;
  }
  return true;
}

/** Goes on over what continues a number: `.5`, `.0.0.1`, `:8080`, and a micro sign with its s. */
function numberEnd(text: string, stop: number, end: number): number {
  let at = stop;
  while (at + 1 < end) {
    const code = text.charCodeAt(at);
    if ((code === 181 || code === 956) && text.charCodeAt(at + 1) === 115) return at + 2;
    if ((code !== DOT && code !== COLON) || classOf(text.charCodeAt(at + 1)) !== DIGIT) return at;
    let next = at + 1;
    let word = false;
    while (next < end) {
      const kind = classOf(text.charCodeAt(next));
      if (kind === 0) break;
      if (kind !== DIGIT) word = true;
      next += 1;
    }
    if (word && !isDuration(text, at + 1, next)) return at;
    at = next;
  }
  return at;
}

function isUuid(text: string, at: number, end: number): boolean {
  if (at + 36 > end) return false;
  for (let i = 0; i < 36; i += 1) {
    const code = text.charCodeAt(at + i);
    const dash = i === 8 || i === 13 || i === 18 || i === 23;
    if (dash ? code !== DASH : (classOf(code) & (DIGIT | HEX_LETTER)) === 0) return false;
  }
  return at + 36 >= end || classOf(text.charCodeAt(at + 36)) === 0;
}

/** Hex groups with colons: all eight, or fewer around one `::`. */
function ipv6End(text: string, at: number, end: number): number {
  let i = at;
  let colons = 0;
  let double = false;
  let group = 0;
  for (; i < end; i += 1) {
    const code = text.charCodeAt(i);
    const kind = classOf(code);
    if (code === COLON) {
      if (i > at && text.charCodeAt(i - 1) === COLON) double = true;
      colons += 1;
      group = 0;
    } else if (kind === DIGIT || kind === HEX_LETTER) {
      group += 1;
      if (group > 4) return -1;
    } else if (kind === LETTER) return -1;
    else break;
  }
  if (text.charCodeAt(i - 1) === COLON && !(double && text.charCodeAt(i - 2) === COLON)) i -= 1;
  return colons === 7 || (double && colons >= 2) ? i : -1;
}
