import { type Detector, eachMatch, isMark, lineEnd } from './span.ts';

/** The private half of a key in PuTTY's own format, and the code over it. */
const PRIVATE_HALF = /Private-Lines: {0,4}\d{1,3}(?:\\{1,4}[rn]|\s){0,4}/g;
const CODE = /Private-(?:MAC|Hash): {0,4}(?=[0-9a-f]{16})/g;
const LONGEST_HALF = 32 * 1_024;
const LINE_OF_BODY = /(?:^|\s)([A-Za-z0-9+/]{4,256}={0,2})\\?\r?$/;

export const findPuttyKeys: Detector = function* (text, report) {
  yield* eachMatch(PRIVATE_HALF, text, (match) => {
    const begin = match.index + match[0].length;
    const half = text.slice(begin, begin + LONGEST_HALF);
    const flat = /^[A-Za-z0-9+/=]{1,512}(?:\\{1,4}[rn][A-Za-z0-9+/=]{1,512}){0,200}/.exec(half)?.[0] ?? '';
    if (flat.length >= 16) report(begin, begin + flat.replace(/\\{1,4}[rn]Private$/, '').length);
    for (let at = begin; at < begin + half.length; ) {
      const to = lineEnd(text, at, begin + half.length);
      const body = LINE_OF_BODY.exec(text.slice(at, Math.min(to, at + 512)))?.[1];
      if (body === undefined) return Math.max(at, begin + flat.length);
      const from = at + text.slice(at, to).lastIndexOf(body);
      report(from, from + body.length);
      at = to + 1;
    }
    return begin + half.length;
  });
  yield* eachMatch(CODE, text, (match) => {
    const from = match.index + match[0].length;
    const code = /^[0-9a-f]{16,128}/.exec(text.slice(from, from + 128))?.[0] ?? '';
    if (!isMark(text, from)) report(from, from + code.length);
    return undefined;
  });
};
