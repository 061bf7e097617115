/** Kinds of characters; a token is a run of those that have one. */
export const DIGIT = 1;
const HEX_LETTER = 2;
export const LETTER = 4;
const DASH = 45;
const DOT = 46;
const COLON = 58;

/** One entry a code, so that looking up needs no bound. */
const CLASS = new Uint8Array(65_536);
for (let code = 48; code < 58; code += 1) CLASS[code] = DIGIT;
for (let code = 65; code < 91; code += 1) CLASS[code] = code < 71 ? HEX_LETTER : LETTER;
for (let code = 97; code < 123; code += 1) CLASS[code] = code < 103 ? HEX_LETTER : LETTER;

export function classOf(code: number): number {
  return CLASS[code] ?? 0;
}

function codeAt(codes: Uint16Array, at: number): number {
  return codes[at] ?? 0;
}

/** Where the variable part that begins with the token `[at, stop)` ends, or -1 when the token is a word. */
export function variableEnd(codes: Uint16Array, at: number, stop: number, end: number, kinds: number): number {
  if ((kinds & LETTER) === 0) {
    if (stop - at === 8 && codeAt(codes, stop) === DASH && isUuid(codes, at, end)) return at + 36;
    if (stop - at <= 4 && codeAt(codes, stop) === COLON) {
      const address = ipv6End(codes, at, end);
      if (address > 0) return address;
    }
  }
  if (kinds === DIGIT || isHex(codes, at, stop, kinds) || isDuration(codes, at, stop))
    return numberEnd(codes, stop, end);
  return -1;
}

function isHex(codes: Uint16Array, at: number, stop: number, kinds: number): boolean {
  if ((kinds & LETTER) === 0) return (kinds & DIGIT) !== 0 ? stop - at >= 6 : stop - at >= 8;
  if (codeAt(codes, at) !== 48 || (codeAt(codes, at + 1) | 32) !== 120 || stop - at < 3) return false;
  for (let i = at + 2; i < stop; i += 1) if ((classOf(codeAt(codes, i)) & LETTER) !== 0) return false;
  return true;
}

/** Digits with units, once or several times: `5s`, `250ms`, `1h2m3s`; and the parts of a time in the middle of a line, `01T12`, `07Z`. */
function isDuration(codes: Uint16Array, at: number, stop: number): boolean {
  let i = at;
  let unit = 0;
  if (classOf(codeAt(codes, i)) !== DIGIT) return false;
  while (i < stop) {
    const digits = i;
    while (i < stop && classOf(codeAt(codes, i)) === DIGIT) i += 1;
    if (i === digits) return false;
    if (i === stop) return unit === 84;
    unit = codeAt(codes, i);
    const second = i + 1 < stop ? codeAt(codes, i + 1) : 0;
    // n, u, m before s; then h, m, s, d alone.
    if (second === 115 && (unit === 110 || unit === 117 || unit === 109)) i += 2;
    else if (unit === 104 || unit === 109 || unit === 115 || unit === 100 || unit === 84 || unit === 90) i += 1;
    else return false;
  }
  return true;
}

/** Goes on over what continues a number: `.5`, `.0.0.1`, `:8080`, and a micro sign with its s. */
function numberEnd(codes: Uint16Array, stop: number, end: number): number {
  let at = stop;
  while (at + 1 < end) {
    const code = codeAt(codes, at);
    if ((code === 181 || code === 956) && codeAt(codes, at + 1) === 115) return at + 2;
    if ((code !== DOT && code !== COLON) || classOf(codeAt(codes, at + 1)) !== DIGIT) return at;
    let next = at + 1;
    let word = false;
    while (next < end) {
      const kind = classOf(codeAt(codes, next));
      if (kind === 0) break;
      if (kind !== DIGIT) word = true;
      next += 1;
    }
    if (word && !isDuration(codes, at + 1, next)) return at;
    at = next;
  }
  return at;
}

function isUuid(codes: Uint16Array, at: number, end: number): boolean {
  if (at + 36 > end) return false;
  for (let i = 0; i < 36; i += 1) {
    const code = codeAt(codes, at + i);
    const dash = i === 8 || i === 13 || i === 18 || i === 23;
    if (dash ? code !== DASH : (classOf(code) & (DIGIT | HEX_LETTER)) === 0) return false;
  }
  return at + 36 >= end || classOf(codeAt(codes, at + 36)) === 0;
}

/** Hex groups with colons: all eight, or fewer around one `::`. */
function ipv6End(codes: Uint16Array, at: number, end: number): number {
  let i = at;
  let colons = 0;
  let double = false;
  let group = 0;
  for (; i < end; i += 1) {
    const code = codeAt(codes, i);
    const kind = classOf(code);
    if (code === COLON) {
      if (i > at && codeAt(codes, i - 1) === COLON) double = true;
      colons += 1;
      group = 0;
    } else if (kind === DIGIT || kind === HEX_LETTER) {
      group += 1;
      if (group > 4) return -1;
    } else if (kind === LETTER) return -1;
    else break;
  }
  if (codeAt(codes, i - 1) === COLON && !(double && codeAt(codes, i - 2) === COLON)) i -= 1;
  return colons === 7 || (double && colons >= 2) ? i : -1;
}
