import { isHarmless, looksGenerated, looksRandom, looksSecret } from './looks-secret.ts';
import { namedValues } from './name-value-pairs.ts';
import { type ReadValue, readValue } from './read-value.ts';
import { type Sensitivity, sensitivityOf } from './sensitive-name.ts';
import { type Detector, eachMatch, isMark, lineEnd, lineStart, matchAt } from './span.ts';

/** A part of every name that `sensitivityOf` knows. */
const ANCHOR =
  /pass|pwd|pw(?![a-z])|psw|secret|token|key|cred|auth|jwt|sig|sess|sid|sas|kennwort|contrase|senha|clave|parol|salasana|парол|密码|密碼|パスワード|비밀번호|has[lł]o|wachtwoord|l[oö]senord|[sş]ifre|heslo|geslo|jelsz|adgangskode|lozinka|bearer|psk|honeycomb-team|(?<=_)pat|cvv|cvc|hmac|recovery|sandi|المرور|पासवर्ड|κωδικ|รหัสผ่าน|סיסמה|khẩu|d'ordine/gi;

const LONGEST_NAME = 64;
/** A text repeats its names; beyond this many the memory begins anew. */
const MAX_REMEMBERED_NAMES = 256;
/** A word is read this far: a quote that a letter follows ends nothing, and reading on to the end for each would be quadratic. */
const LONGEST_WORD_READ = 512;
/** A possible secret in quotes is read this far; longer text is no secret unless it has no blank. */
const LONGEST_POSSIBLE = 256;
/** A list of secrets that is longer goes whole from here on, so that no list holds the event loop. */
const MAX_ITEMS = 1_000;
/** Longest text of an element that is searched. */
const LONGEST_ELEMENT = 1_024;

const COLOUR = '(?:\\u001b\\[[0-9;]{0,16}m)?';
const CLOSING = '(?:\\[\\d{0,3}\\])?(?:\\\\{0,7}["\'`]|%(?:25)?2[27]|&quot;|\\\\{1,4}u0022)?(?:\\]|%5D)?';
const OPERATOR = '=>|->|:=|：|＝|={1,3}(?!=)|:(?![:/])|%(?:25)?3[DdAa]|\\\\{1,4}u003[dDaA]|&#(?:61|58);|\\\\x3d';
/** What stands between a name and its value. Built of parts that each have a bound. */
// linear: made of the constants above, each of bounded length
const SEPARATOR = new RegExp(`${COLOUR}${CLOSING}${COLOUR}[ \\t]{0,16}(${OPERATOR})[ \\t]{0,32}${COLOUR}`, 'y');
const ELEMENT = /(?:\s[^<>\r\n]{0,128})?>(?:<!\[CDATA\[)?|<\/(?:key|name)>\s{0,16}<(?:string|value)>/y;
/** `PASSWORD 'x'`, `IDENTIFIED BY 'x'`, `password is x`, `requirepass x`, and netrc's `password x`. */
const QUOTED_NEXT = /[ \t]{1,4}(?=["'][^\s"'])/y;
const STATED = /[ \t]{1,4}(?:is|was)[:=]?[ \t]{1,4}/y;
const MEMBER_VALUE = /\{\s{0,8}\\{0,7}["']?(?:value|val)\\{0,7}["']?\s?[:=]\s?/y;
/** `API Key: x`: the word before makes a name of it that says more. */
const QUALIFIER = /\b(api|access|secret|private|encryption|unseal|recovery) $/i;
/** `Unseal Key 1:` and `Secret ID =`. */
const NUMBERED = / (?:\d{1,3}|ID)(?=[ \t]{0,16}[:=][ \t])/iy;
/** `"old" -> "new"`, as Terraform prints a change. */
const CHANGED = /\\{0,7}["'] -> (?=\\{0,7}["'])/y;
const RUN = /\S{0,256}/y;
const BLANKS = /[ \t]{1,8}/y;
const FLAG_GAP = /[ \t]{1,4}|\\{0,7}["']?\r?\n[ \t]{0,64}- (?=\S)|\\{0,7}["'],[ \t\r\n]{0,16}(?=\\{0,7}["'])/y;
/** The second of a pair that is written as a list: `["api_key", "x"]`. */
const NEXT_ITEM = /\\{0,7}["'],[ \t]?(?=\\{0,7}["'])/y;
const LINE_BREAK = /[ \t]{0,16}(?:[|>][+-]?[ \t]{0,8})?\r?\n(?:\d{4}-\d\d-\d\dT[\d:.+Z-]{4,32} )?([ \t]{0,64}(?:- )?)/y;
const WORDS = /(?:[ \t]{1,2}[^\s=:,;"'()]{1,64}(?![^\s,;"'()]{0,64}[=:])){1,12}/y;

type Report = (from: number, to: number) => void;

/** Values that are known for secrets by their names. */
export const findNamedSecrets: Detector = function* (text, report) {
  const sensitivities = new Map<string, Sensitivity | undefined>();
  const sensitivity = (name: string): Sensitivity | undefined => {
    if (sensitivities.has(name)) return sensitivities.get(name);
    if (sensitivities.size >= MAX_REMEMBERED_NAMES) sensitivities.clear();
    const found = sensitivityOf(name);
    sensitivities.set(name, found);
    return found;
  };
  yield* eachMatch(ANCHOR, text, (match) => {
    const begin = nameBegin(text, match.index);
    const end = nameEnd(text, match.index + match[0].length);
    const qualifier = text[begin - 1] === ' ' ? QUALIFIER.exec(text.slice(Math.max(0, begin - 11), begin)) : null;
    const found = sensitivity(`${qualifier === null ? '' : `${qualifier[1]}_`}${text.slice(begin, end)}`);
    if (found === undefined) return end;
    const numbered = found === 'secret' ? (matchAt(NUMBERED, text, end)?.[0].length ?? 0) : 0;
    return valueAfter(text, begin, end + numbered, numbered > 0 ? 'password' : found, report) ?? end;
  });
};

function isNameCode(code: number): boolean {
  // Letters of other scripts, but not the punctuation that is written between them.
  if (code > 127) return !(code >= 0x2000 && code < 0x2070) && !(code >= 0x3000 && code < 0x3040) && code < 0xff00;
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 95 ||
    code === 45 ||
    code === 46
  );
}

function nameBegin(text: string, at: number): number {
  const bound = Math.max(0, at - LONGEST_NAME);
  let begin = at;
  while (begin > bound && isNameCode(text.charCodeAt(begin - 1))) begin -= 1;
  // `%26sig` and `\npassword`: the end of an escape is no part of the name.
  if (text[begin - 1] === '%' && /^[0-9A-F]{2}/i.test(text.slice(begin, begin + 2))) return Math.min(at, begin + 2);
  if (text[begin - 1] === '\\' && /^[nrt]/.test(text[begin] ?? '')) return Math.min(at, begin + 1);
  return begin;
}

function nameEnd(text: string, at: number): number {
  const bound = Math.min(text.length, at + LONGEST_NAME);
  let end = at;
  while (end < bound && isNameCode(text.charCodeAt(end))) end += 1;
  return end;
}

/** Reports the value of the name `[begin, end)`; returns where the search goes on, or undefined when there is no value. */
function valueAfter(
  text: string,
  begin: number,
  end: number,
  sensitivity: Sensitivity,
  report: Report,
): number | undefined {
  const separator = matchAt(SEPARATOR, text, end);
  if (separator !== null) {
    const at = end + separator[0].length;
    return followed(text, begin, at, separator[1] ?? '', sensitivity, report);
  }
  const before = text.slice(Math.max(0, begin - 32), begin);
  if (before.endsWith('<') || /<\w{1,16}:$/.test(before) || before.endsWith('<key>') || before.endsWith('<name>')) {
    const element = matchAt(ELEMENT, text, end);
    if (element !== null) return reportElement(text, end + element[0].length, sensitivity, report);
  }
  const pair = namedValues(text, begin, end, before);
  for (const value of pair)
    if (!isMark(text, value.from) && isSecret(text.slice(value.from, value.to), value.quoted, sensitivity))
      report(value.from, value.to);
  return unseparated(text, begin, end, sensitivity, report);
}

function followed(
  text: string,
  begin: number,
  at: number,
  operator: string,
  sensitivity: Sensitivity,
  report: Report,
): number | undefined {
  if (isMark(text, at)) return at;
  const below = matchAt(LINE_BREAK, text, at);
  if (below !== null) return belowName(text, at, below, sensitivity, report);
  if (text[at] === '[' && /^\[[ \t]{0,4}\\{0,7}["']/.test(text.slice(at, at + 16)))
    return reportList(text, at, sensitivity, report);
  const member = text[at] === '{' ? matchAt(MEMBER_VALUE, text, at) : null;
  if (member !== null) return reportValue(text, at + member[0].length, sensitivity, report);
  if (text[at] === '{' && (operator.includes(':') || /^\{[\s"']/.test(text.slice(at, at + 2)))) return undefined;
  if (
    (operator === ':' || operator === '->' || operator === '：') &&
    text[at] !== '"' &&
    text[at] !== "'" &&
    text[at] !== '\\'
  )
    return reportAfterColon(text, begin, at, sensitivity, report);
  const to = reportValue(text, at, sensitivity, report, operator.startsWith('%'));
  const more = to === undefined || sensitivity === 'possible' ? 0 : restOfValue(text, begin, to);
  if (to !== undefined && more > 0) report(to, to + more);
  return to === undefined ? undefined : to + more;
}

/** What follows the first word of a value with blanks: up to the quote of its option, the semicolon of its list, the end of its property. */
function restOfValue(text: string, begin: number, to: number): number {
  if (text[to] !== ' ') return 0;
  const before = text.slice(Math.max(0, begin - 64), begin);
  const rest = text.slice(to, lineEnd(text, to, to + LONGEST_POSSIBLE));
  const option = /\s-{1,2}[\w-]{1,32}[ =](["'])(?:[\w.-]{1,32}=[^\s"'=]{0,32}&)?$/.exec(before);
  if (option !== null) return Math.max(0, rest.indexOf(option[1] ?? ''));
  if (/;[ \t]?$/.test(before)) return /^[^=;"'\r\n]{1,128}(?=;)/.exec(rest)?.[0].length ?? 0;
  return /(?:^|\n)$/.test(before) ? (/^(?: [^\s=:,;"'()]{1,64}){1,4}(?=\r?$)/.exec(rest)?.[0].length ?? 0) : 0;
}

/** A value that is certainly in the place of one: in quotes, or after an equals sign. */
function reportValue(
  text: string,
  at: number,
  sensitivity: Sensitivity,
  report: Report,
  encoded = false,
): number | undefined {
  const value = read(text, at, sensitivity, encoded);
  if (value === undefined || !isSecret(text.slice(value.from, value.to), value.quoted, sensitivity)) return undefined;
  report(value.from, value.to);
  const change = value.quoted ? matchAt(CHANGED, text, value.to) : null;
  return change === null ? value.to : reportValue(text, value.to + change[0].length, sensitivity, report);
}

/** Undefined for what is no secret whatever it says: nothing, a mark, or a long text under a name that says little. */
function read(text: string, at: number, sensitivity: Sensitivity, encoded: boolean): ReadValue | undefined {
  let value: ReadValue;
  if (sensitivity === 'possible') {
    // A possible secret has no blank: reading on to a closing quote would be most of the work, and for nothing.
    const run = matchAt(RUN, text, at)?.[0].length ?? 0;
    value = readValue(text, at, run < LONGEST_POSSIBLE ? { encoded, limit: at + run } : { encoded });
    const isCutAtBlank =
      value.quoted && value.to === at + run && value.to < text.length && !isLineBreak(text, value.to);
    if (run < LONGEST_POSSIBLE && isCutAtBlank) return undefined;
  } else value = readValue(text, at, { encoded });
  return value.to <= value.from || isMark(text, value.from) ? undefined : value;
}

function isLineBreak(text: string, at: number): boolean {
  return text[at] === '\n' || text[at] === '\r';
}

export function isSecret(value: string, quoted: boolean, sensitivity: Sensitivity): boolean {
  switch (sensitivity) {
    case 'password':
      return !isHarmless(value);
    case 'secret':
      return !isHarmless(value) && (quoted || !/^(?:\d{1,9}|[A-Z][a-z]{0,15})$/.test(value));
    case 'possible':
      return value.length > 64 ? !/\s/.test(value) : looksRandom(value) && !isHarmless(value);
    default: {
      const unknown: never = sensitivity;
      return unknown;
    }
  }
}

/** `password: two plain words` is a password unless it says what is with it; after another name a word has to look like a secret. */
function reportAfterColon(
  text: string,
  begin: number,
  at: number,
  sensitivity: Sensitivity,
  report: Report,
): number | undefined {
  const value = read(text, at, sensitivity, false);
  if (value === undefined) return undefined;
  const word = text.slice(value.from, value.to);
  const looks = looksSecret(word);
  if (
    sensitivity === 'possible'
      ? !looksGenerated(word) && !isCredentialLike(text, begin, word)
      : sensitivity === 'secret' && !looks
  )
    return undefined;
  if (isHarmless(word)) return undefined;
  const more = sensitivity === 'password' && !looks ? (matchAt(WORDS, text, value.to)?.[0].length ?? 0) : 0;
  report(value.from, value.to + more);
  return value.to + more;
}

/** A member of a JSON or YAML object: its name is in quotes or at the beginning of its line. */
function isCredentialLike(text: string, begin: number, word: string): boolean {
  return looksRandom(word) && /(?:^|["'{,]|\n[ \t]{0,32})$/.test(text.slice(Math.max(0, begin - 34), begin));
}

function reportElement(text: string, at: number, sensitivity: Sensitivity, report: Report): number | undefined {
  if (isMark(text, at)) return undefined;
  const bounded = text.slice(at, at + LONGEST_ELEMENT);
  const close = bounded.search(/[<\r\n]/);
  const to = close < 0 ? at + bounded.length : at + close;
  const value = text.slice(at, to);
  if (value.trim() === '' || !isSecret(value, true, sensitivity)) return undefined;
  report(at, to);
  return to;
}

function reportList(text: string, at: number, sensitivity: Sensitivity, report: Report): number | undefined {
  const gap = /[[,][ \t]{0,4}(?=\\{0,7}["'])/y;
  let place = at;
  let items = 0;
  for (let item = matchAt(gap, text, place); item !== null; item = matchAt(gap, text, place)) {
    items += 1;
    if (items > MAX_ITEMS) {
      const end = lineEnd(text, place, text.length);
      report(place, end);
      return end;
    }
    const value = readValue(text, place + item[0].length);
    if (
      value.to > value.from &&
      !isMark(text, value.from) &&
      isSecret(text.slice(value.from, value.to), true, sensitivity)
    )
      report(value.from, value.to);
    place = value.to + (/^\\{0,7}["']/.exec(text.slice(value.to, value.to + 8))?.[0].length ?? 0);
  }
  return place === at ? undefined : place;
}

/** A value on the line below its name: more indented, a list's first item, or plainly no word. */
function belowName(
  text: string,
  at: number,
  below: RegExpExecArray,
  sensitivity: Sensitivity,
  report: Report,
): number | undefined {
  const from = at + below[0].length;
  const value = readValue(text, from);
  const word = text.slice(value.from, Math.min(value.to, value.from + 512));
  const rest = text.slice(value.to, lineEnd(text, value.to, value.to + 64));
  if (word === '' || isMark(word) || /[:=]$|^[\w.-]{1,64}[:=]/.test(word) || /[^\s"',;]/.test(rest)) return undefined;
  const isIndented = (below[1] ?? '') !== '';
  const isTaken =
    sensitivity === 'password' && isIndented
      ? !isHarmless(word)
      : looksGenerated(word) || (sensitivity !== 'possible' && looksSecret(word) && !word.includes('/'));
  if (!isTaken) return undefined;
  report(value.from, value.to);
  return value.to;
}

/** Values that only a blank divides from their names. */
function unseparated(
  text: string,
  begin: number,
  end: number,
  sensitivity: Sensitivity,
  report: Report,
): number | undefined {
  if (sensitivity === 'possible') return undefined;
  const next = text.startsWith('-', begin) ? null : matchAt(NEXT_ITEM, text, end);
  if (next !== null && /[[(]\s?\\{0,7}["']$/.test(text.slice(Math.max(0, begin - 10), begin)))
    return reportWord(text, end + next[0].length, looksSecret, report);
  if (text.startsWith('-', begin)) {
    const gap = matchAt(FLAG_GAP, text, end);
    if (gap === null || /^["']?-/.test(text.slice(end + gap[0].length, end + gap[0].length + 2))) return undefined;
    // A list of flags, one on a line; elsewhere the next line begins something else.
    if (gap[0].includes('\n') && !/- ["']?$/.test(text.slice(Math.max(0, begin - 3), begin))) return undefined;
    return reportValue(text, end + gap[0].length, 'password', report);
  }
  if (sensitivity !== 'password') {
    const gap = matchAt(BLANKS, text, end);
    return gap === null ? undefined : reportWord(text, end + gap[0].length, looksGenerated, report);
  }
  const quoted = matchAt(QUOTED_NEXT, text, end);
  if (quoted !== null) return reportValue(text, end + quoted[0].length, sensitivity, report);
  const stated = matchAt(STATED, text, end);
  if (stated !== null) {
    return reportWord(text, end + stated[0].length, looksSecret, report);
  }
  const blanks = matchAt(BLANKS, text, end);
  if (blanks === null) return undefined;
  if (!isDirective(text, begin, end)) return reportWord(text, end + blanks[0].length, looksTyped, report);
  return reportValue(text, end + blanks[0].length, sensitivity, report);
}

/** The word at `at` when it looks like a secret. */
function reportWord(text: string, at: number, looks: (word: string) => boolean, report: Report): number | undefined {
  const value = readValue(text, at, { limit: Math.min(text.length, at + LONGEST_WORD_READ) });
  const word = text.slice(value.from, value.to);
  if (!looks(word) || isHarmless(word) || isMark(word)) return undefined;
  report(value.from, value.to);
  return value.to;
}

/** What somebody types for a password: letters and digits in one word, and no path, version or digest. */
function looksTyped(word: string): boolean {
  return looksSecret(word) && /^[^\s./:]{6,}$/.test(word) && /\d/.test(word) && /[g-zà-öа-я]/i.test(word);
}

/** netrc gives a login before its password; Redis begins a line of its configuration with the name. */
function isDirective(text: string, begin: number, end: number): boolean {
  if (/^(?:requirepass|masterauth)$/i.test(text.slice(begin, end))) return true;
  return /(?:^|\s)(?:login|machine|default) \S/.test(text.slice(lineStart(text, begin, 256), begin));
}
