import { isHarmless, looksSecret } from './looks-secret.ts';
import { readValue } from './read-value.ts';
import { type Detector, eachMatch, isMark, lineEnd, matchAt } from './span.ts';

const AUTHORIZATION = /authorization/gi;
const AFTER_AUTHORIZATION =
  /(?:\\{0,7}["'`]|%22)?[ \t]{0,8}(?:=>|[:=]|%3A|\\u003d)[ \t]{0,8}\[?(?:\\{0,7}["'`]|%22)?(?:(?:bearer|basic|token|negotiate|apikey|key|ntlm|bot|splunk|ssws|geniekey|api-token)(?:[ \t]{1,8}|\r?\n[ \t]{1,8}|%20|\+))?/iy;
/** A scheme that is not in the list above (RFC 9110 leaves the list open), and parameters, of which any may be a secret. */
const ANY_SCHEME = /([A-Za-z][\w.-]{1,31})[ \t]{1,8}(?=\S)/y;
const PARAMETERS = /[\w-]{1,32}=\S[^\r\n]{0,2048}/y;
const SCHEME_ALONE =
  /^(?:bearer|basic|token|digest|negotiate|apikey|header|failed|denied|required|missing|invalid|error|aws4-hmac-sha256|rbac|node|webhook|alwaysallow|mode|policy)\b/i;
const SCHEME = /\b(?:bearer|basic)(?:[ \t]{1,8}|%20)(?=[A-Za-z0-9+/=._~-]{8})/gi;
const CREDENTIAL = /[A-Za-z0-9+/=._~-]{8,}/y;
const COOKIE =
  /\b(?:set-)?cookies?(?:\\{0,7}["'`])?[ \t]{0,4}(?:=>|[:=])[ \t]{0,4}\[?(\\{0,7}["'`])?(?=[^\s"';]{1,128}=)/gi;
/** Browsers keep 4 KB of one cookie and servers refuse longer headers. */
const LONGEST_COOKIE = 16_384;
const SMTP = /\bAUTH (?:PLAIN|LOGIN|CRAM-MD5|XOAUTH2) (?=[A-Za-z0-9+/=]{8})/g;

/** Cheap test that none of the forms below is in the text. */
const HINT = /authorization|bearer|basic|cookie|AUTH /i;

/** Credentials in the headers of requests and in what SMTP sends for them. */
export const findHeaderSecrets: Detector = function* (text, report) {
  if (!HINT.test(text)) return;
  yield* eachMatch(AUTHORIZATION, text, (match) => {
    const end = match.index + match[0].length;
    const before = matchAt(AFTER_AUTHORIZATION, text, end);
    if (before === null) return undefined;
    const from = end + before[0].length;
    const inScheme = afterAnyScheme(text, from);
    if (inScheme !== undefined) {
      if (inScheme.to > inScheme.from) report(inScheme.from, inScheme.to);
      return inScheme.to;
    }
    const { to } = readValue(text, from);
    const value = text.slice(from, Math.min(to, from + 64));
    if (to - from < 4 || isMark(value) || (to - from <= 64 && (SCHEME_ALONE.test(value) || isHarmless(value))))
      return from;
    report(from, to);
    return to;
  });
  for (const scheme of [SCHEME, SMTP]) {
    yield* eachMatch(scheme, text, (match) => {
      const from = match.index + match[0].length;
      const value = matchAt(CREDENTIAL, text, from)?.[0] ?? '';
      if (scheme === SMTP || looksSecret(value)) report(from, from + value.length);
      return from + value.length;
    });
  }
  yield* eachMatch(COOKIE, text, (match) => {
    const from = match.index + match[0].length;
    if (isMark(text, from)) return undefined;
    const end = lineEnd(text, from, from + LONGEST_COOKIE);
    const line = text.slice(from, end);
    const quote = match[1] === undefined ? -1 : line.indexOf(match[1]);
    const plain = quote >= 0 ? -1 : line.search(/["\r]/);
    const to = quote >= 0 ? from + quote : plain >= 0 ? from + plain : end;
    report(from, to);
    return to;
  });
};

function afterAnyScheme(text: string, at: number): { from: number; to: number } | undefined {
  const scheme = matchAt(ANY_SCHEME, text, at);
  if (scheme === null || isHarmless(scheme[1] ?? '') || /^aws4/i.test(scheme[1] ?? '')) return undefined;
  const from = at + scheme[0].length;
  if (isMark(text, from)) return { from, to: from };
  const parameters = matchAt(PARAMETERS, text, from);
  if (parameters !== null) return { from, to: from + parameters[0].length };
  const value = readValue(text, from);
  const word = text.slice(value.from, value.to);
  return looksSecret(word) ? { from: value.from, to: value.to } : undefined;
}
