import { type Detector, eachMatch, isMark, lineEnd, lineStart } from './span.ts';

/** Begin or end of an armoured block, or one full line of its body. A run of dashes is read once, from its first. */
const ARMOUR =
  /(?<!-)-{4,256} ?(BEGIN|END) ([A-Z0-9 ]{1,40}?) ?-{4,5}|(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{64}(?![A-Za-z0-9+/=])(?=\r?$)/gm;
const KEY_NAME = /PRIVATE KEY/;
/** Longest block that is taken whole when its end is found; a key of 16,384 bits has 13 KB. */
const LONGEST_KEY = 32 * 1_024;
/** Lines of a body without begin or end that are one: two lines of 64 characters may be digests. */
const BODY_LINES = 3;
const LONGEST_KEY_LINE = 512;
/** An armour line has this length, or a line of a body. */
const SHORTEST_KEY = 24;
const HEADER = /^(?:Proc-Type|DEK-Info|Comment|Version|Subject|X-[A-Za-z-]{1,40}): ?[^\r\n]{0,200}$/;

interface Block {
  readonly begin: number;
  readonly isKey: boolean;
}

/**
 * Bodies of private keys. A key without its end is one that was cut, as is an end without its begin and a page of nothing but body: what
 * looks like a body goes, line by line, whatever time a logger wrote before each line.
 */
export const findPrivateKeys: Detector = function* (text, report) {
  if (text.length < SHORTEST_KEY) return;
  let open: Block | undefined;
  let body: { from: number; to: number }[] = [];
  const settleBody = (): void => {
    if (body.length >= BODY_LINES) for (const { from, to } of body) report(from, to);
    body = [];
  };
  const cut = (until: number): void => {
    if (open?.isKey === true) walkOn(text, open.begin, Math.min(until, open.begin + LONGEST_KEY), report);
    open = undefined;
  };
  yield* eachMatch(ARMOUR, text, (match) => {
    const end = match.index + match[0].length;
    if (match[1] === undefined) {
      const last = body.at(-1);
      if (last !== undefined && match.index > lineEnd(text, last.to + 1, last.to + LONGEST_KEY_LINE)) settleBody();
      if (open === undefined || open.isKey) body.push({ from: match.index, to: end });
      return end;
    }
    const isKey = KEY_NAME.test(match[2] ?? '');
    if (match[1] === 'BEGIN') {
      cut(match.index);
      settleBody();
      open = { begin: end, isKey };
      return end;
    }
    if (open !== undefined && isKey && match.index - open.begin <= LONGEST_KEY)
      take(text, open.begin, match.index, report);
    else if (isKey) walkBack(text, match.index, report);
    if (isKey) settleBody();
    body = [];
    open = undefined;
    return end;
  });
  cut(text.length);
  settleBody();
};

function take(text: string, begin: number, end: number, report: Report): void {
  let from = begin;
  let to = end;
  while (from < to && isBlank(text, from)) from += 1;
  while (to > from && isBlank(text, to - 1)) to -= 1;
  if (to > from && !isMark(text, from)) report(from, to);
}

type Report = (from: number, to: number) => void;

/** Goes over the lines after a begin as long as they belong to a key. */
function walkOn(text: string, begin: number, until: number, report: Report): void {
  for (let at = begin; at < until; ) {
    const to = lineEnd(text, at, until);
    if (!reportLine(text, at, to, at === begin, report)) return;
    at = to + 1;
  }
}

/** The same for the lines before an end. */
function walkBack(text: string, end: number, report: Report): void {
  const until = Math.max(0, end - LONGEST_KEY);
  for (let at = end; at > until; ) {
    const from = lineStart(text, at, LONGEST_KEY_LINE);
    if (!reportLine(text, from, at, at === end, report)) return;
    at = from - 1;
  }
}

function reportLine(text: string, from: number, to: number, isFirst: boolean, report: Report): boolean {
  const line = lineOfKey(text.slice(from, to), isFirst);
  if (line === 'other') return false;
  if (line !== 'blank') report(from + line.from, from + line.to);
  return true;
}

type KeyLine = 'blank' | 'other' | { readonly from: number; readonly to: number };

function lineOfKey(line: string, isFirst: boolean): KeyLine {
  const bare = line.trim();
  if (bare === '' || /^[\\nrua0d"',+]{1,24}$/.test(bare)) return 'blank';
  if (isMark(bare)) return 'blank';
  // A body that is one line with `\n` for its line ends, as JSON and environment variables have it.
  const flat = isFirst
    ? /^(?:\\{1,4}(?:[nr]|u000[adAD])|[\s"'])*[A-Za-z0-9+/=]{16}/.exec(line.slice(0, LONGEST_KEY_LINE))
    : null;
  if (flat !== null) return flatBody(line);
  if (HEADER.test(bare.slice(0, LONGEST_KEY_LINE)))
    return { from: line.indexOf(bare), to: line.indexOf(bare) + bare.length };
  const body = bodyAtEnd(line);
  if (body === undefined) return isFirst && bare.length < 200 ? 'blank' : 'other';
  return body.to - body.from < 16 && body.to - body.from !== bare.length ? 'other' : body;
}

/** The characters of a body at the end of a line, behind whatever a logger wrote before them. */
function bodyAtEnd(line: string): Exclude<KeyLine, string> | undefined {
  let to = line.length;
  while (to > 0 && (' \t\r"\',;+'.includes(line[to - 1] ?? '') || /\\[nr]$/.test(line.slice(to - 2, to))))
    to -= line[to - 2] === '\\' ? 2 : 1;
  let from = to;
  while (from > 0 && /[A-Za-z0-9+/=]/.test(line[from - 1] ?? '')) from -= 1;
  if (to - from < 4 || (from > 0 && !' \t|>"\':]'.includes(line[from - 1] ?? ''))) return undefined;
  return { from, to };
}

/** Up to the first character that no body has. */
function flatBody(line: string): KeyLine {
  const from =
    /[A-Za-z0-9+/=]/.exec(line.replace(/^(?:\\{1,4}(?:[nr]|u000[adAD]))*/, (run) => ' '.repeat(run.length)))?.index ??
    0;
  const stop = /[^A-Za-z0-9+/=\\ ]/g;
  stop.lastIndex = from;
  const end = stop.exec(line)?.index ?? line.length;
  return { from, to: end };
}

function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 32 || code === 10 || code === 13 || code === 9;
}
