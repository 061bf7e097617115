import { looksEncoded, looksRandom } from './looks-secret.ts';
import { type Detector, eachMatch, isMark } from './span.ts';

/** Longest user information that is searched; the search of a longer one ends there. */
const LONGEST_USER_INFO = 512;
/** Longest user and password that stand before an address without a scheme. */
const LONGEST_BEFORE = 256;
/** What ends an address in a log: blanks, quotes, brackets and the next address. A password may hold the rest. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour code ends an address
const ADDRESS_END = /[\s"'`<>]|\u001b|:\/\//;

const WEBHOOKS: readonly RegExp[] = [
  /hooks\.slack(?:-gov)?\.com(?:\\{0,7}\/|%2F)(?:services|workflows|triggers)(?:\\{0,7}\/|%2F)()([\w/\\%-]{8,})/gi,
  /discord(?:app)?\.com(?:\\{0,7}\/|%2F)api(?:\\{0,7}\/|%2F)(?:v\d{1,2}(?:\\{0,7}\/|%2F))?webhooks(?:\\{0,7}\/|%2F)(\d{1,24}(?:\\{0,7}\/|%2F))([\w-]{8,})/gi,
  /(?:webhook\.office\.com|outlook\.office(?:365)?\.com)\/webhook(?:b2)?\/()([\w@/.-]{8,})/gi,
  /api\.telegram\.org\/(?:file\/)?(bot)(\d{1,20}:[\w-]{8,})/gi,
  /(?:mattermost|rocket)[\w.-]{0,64}(?::\d{1,5})?\/hooks\/()([\w/-]{8,})/gi,
  /(?:api\.)?(?:opsgenie|pagerduty|victorops|webex(?:apis)?|zapier)[\w.-]{0,64}\/(integrations?\/|v1\/webhooks\/incoming\/|hooks\/catch\/)([\w/-]{8,})/gi,
];

/** What an address carries to be used once: the code of a login, the last part of a link that resets a password. */
const ONE_TIME =
  /(?:[?&#](?:code|ticket|magic|invite)=|\/(?:reset|verify|confirm|invite|magic|activate)(?:[-_]\w{1,16})?\/)([\w.~%+-]{16,512})/g;

/** Cheap test that no such address is in the text. */
const WEBHOOK_HINT = /hook|telegram|integration/i;

/** Passwords within addresses, data source names without a scheme, and addresses whose path is the secret. */
export const findAddressSecrets: Detector = function* (text, report) {
  yield* eachMatch(/[a-z0-9+.-]:\/\/|[a-z0-9]%3A%2F%2F/gi, text, (match) => {
    userInfo(text, match.index + match[0].length, report);
    return undefined;
  });
  let previous = 0;
  // `user:password@tcp(db:3306)/shop`, the form of Go's driver for MySQL.
  yield* eachMatch(/@(?:tcp|udp|unix|cloudsql)\(|@\/\/[\w.-]{1,64}[:/]/g, text, (match) => {
    beforeAt(text, Math.max(previous, match.index - LONGEST_BEFORE), match.index, report);
    previous = match.index + match[0].length;
    return undefined;
  });
  yield* eachMatch(/jdbc:oracle:\w{1,8}:[^\s/@:]{1,64}\/([^\s@"']{1,128})@/gi, text, (match) => {
    const end = match.index + match[0].length - 1;
    const secret = match[1] ?? '';
    if (!isMark(secret)) report(end - secret.length, end);
    return end;
  });
  yield* eachMatch(ONE_TIME, text, (match) => {
    const end = match.index + match[0].length;
    const secret = match[1] ?? '';
    if (looksRandom(secret) || looksEncoded(secret)) report(end - secret.length, end);
    return end;
  });
  if (!WEBHOOK_HINT.test(text)) return;
  for (const form of WEBHOOKS) {
    yield* eachMatch(form, text, (match) => {
      const end = match.index + match[0].length;
      const secret = match[2] ?? '';
      if (!isMark(secret)) report(end - secret.length, end);
      return end;
    });
  }
};

/** `user:password@`, or a user alone that is long enough for a token. */
function userInfo(text: string, from: number, report: (from: number, to: number) => void): void {
  const bounded = text.slice(from, from + LONGEST_USER_INFO);
  const end = bounded.search(ADDRESS_END);
  const address = end < 0 ? bounded : bounded.slice(0, end);
  const slash = address.search(/[/?#]/);
  const authority = slash < 0 ? address : address.slice(0, slash);
  let at = authority.lastIndexOf('@');
  if (isMark(address)) return;
  const colon = address.search(/:|%3A/i);
  // A password may hold `/`, `?`, `#` or `@`; but `host:8080/path@v1` is no password.
  if (at < 0 && colon >= 0 && (slash < 0 || colon < slash) && !/^:\d{1,5}(?:[/?#]|$)/.test(address.slice(colon)))
    at = address.lastIndexOf('@');
  if (at < 0) {
    const encoded = address.indexOf('%40');
    if (encoded < 0 || colon < 0 || colon > encoded || (slash >= 0 && slash < encoded)) return;
    at = encoded;
  }
  const colonLength = address.startsWith('%', colon) ? 3 : 1;
  const begin = colon >= 0 && colon < at ? colon + colonLength : 0;
  const secret = address.slice(begin, at);
  if (secret === '' || isMark(secret)) return;
  if (begin === 0 && (secret.length < 16 || isMailbox(secret))) return;
  report(from + begin, from + at);
}

/** `mailto`-like users and names of accounts are words with dots; a token is not. */
function isMailbox(user: string): boolean {
  return /^[a-z]{1,30}(?:[._-][a-z]{1,30}){0,4}$/.test(user);
}

function beforeAt(text: string, from: number, at: number, report: (from: number, to: number) => void): void {
  const before = text.slice(from, at);
  const word = before.slice(
    Math.max(before.lastIndexOf(' '), before.lastIndexOf('"'), before.lastIndexOf('\n'), before.lastIndexOf('=')) + 1,
  );
  const colon = word.search(/[:/]/);
  if (colon <= 0 || colon === word.length - 1 || word.includes('//')) return;
  const secret = word.slice(colon + 1);
  if (!isMark(secret)) report(at - secret.length, at);
}
