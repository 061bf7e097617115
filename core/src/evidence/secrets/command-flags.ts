import { finish } from '../../steps.ts';
import { isHarmless } from './looks-secret.ts';
import { readValue } from './read-value.ts';
import { type Detector, eachMatch, isMark, lineEnd, lineStart } from './span.ts';

/** How far behind a command its options are searched. */
const LONGEST_COMMAND = 1_024;

/** A blank, an equals sign, the end of an item of a list, or nothing between an option and its value. */
const OPTION = {
  attached: /[\s"']-p(?=[^\s"'=,])|\s-p(?=["'][^"'\s])/g,
  key: /\s-(?:k|pass(?:in|out)?)[ \t]{1,4}(?:pass:)?(?=[^\s-])/g,
  attachedEither: /[\s"']-[pP](?=[^\s"'=,])/g,
  password: /[\s"']-p(?:[ \t=]{1,4}|\\{0,7}["'],[ \t]{0,4}\\{0,7}["']|)(?!\d{1,5}:\d|\d{1,5}[\s"']|[\d.]{7,15}:)/g,
  authentication: /[\s"']-a(?:[ \t=]{1,4}|\\{0,7}["'],[ \t]{0,4}\\{0,7}["']|)/g,
  bind: /[\s"']-w(?:[ \t=]{1,4}|\\{0,7}["'],[ \t]{0,4}\\{0,7}["']|)/g,
  capital: /[\s"']-P(?:[ \t=]{1,4}|\\{0,7}["'],[ \t]{0,4}\\{0,7}["']|)/g,
} as const;

/** Commands whose short options carry a password, and by which option. */
const COMMANDS: readonly (readonly [command: RegExp, option: keyof typeof OPTION])[] = [
  [/(?<![\w.-])(?:mysql|mariadb|mycli)[\w-]{0,16}(?=[\s"'])/g, 'attached'],
  [
    /(?<![\w.-])(?:sshpass|mongo\w{0,10}|docker|podman|helm|nerdctl|oras|skopeo|crane|rabbitmqadmin|cqlsh|clickhouse-client|impala-shell)(?=[\s"'])/g,
    'password',
  ],
  [/(?<![\w.-])(?:redis-cli|valkey-cli|keydb-cli)(?=[\s"'])/g, 'authentication'],
  [/(?<![\w.-])ldap\w{0,8}(?=[\s"'])/g, 'bind'],
  [/(?<![\w.-])(?:sqlcmd|bcp|isql)(?=[\s"'])/g, 'capital'],
  [/(?<![\w.-])openssl (?=enc)/g, 'key'],
  [/(?<![\w.-])(?:7za?|zip|unzip)(?=[\s"'])/g, 'attachedEither'],
];

const OPTION_HINT = /[\s"']-(?:[uUpPawk]|-user|-proxy|-from|-password-stdin)|chpasswd/;

/** `kubectl create secret --from-literal=any-name=x`: of a Secret, whatever its key is called. */
const LITERAL = /--from-literal(?:[ \t]{1,4}|=|["'],[ \t]{0,4}["'])(["']?)[\w.-]{1,253}=(?=\S)/g;
/** `smbclient -U 'bob%x'`. */
const DOMAIN_USER = /(?<=\s)(?:-U|--user)[ =]{0,2}["']?[\w.\\@-]{1,64}%(?=[^\s%"'])/g;
/** What `docker login` or `chpasswd` reads from a command before it. */
const PIPED = /--password-stdin|(?<=\|\s{0,4}(?:sudo )?)chpasswd/g;
const ECHOED = /^(?:echo|printf)(?: -\w{1,3}| ["']%s["']){0,2} {1,4}(["']?)([^|\r\n]{1,128}?)\1 ?\|/;
const LONGEST_PIPE = 256;

/** `curl -u user:password`; `-u 1000:1000` is a user and a group. */
const USER =
  /(?<=[\s"'])(?:-u|-U|--user|--proxy-user)(?:[ \t=]{1,4}|\\{0,7}["'],[ \t]{0,4}|)\\{0,7}(?<quote>["']?)(?<user>[^\s:"'\\/]{1,64}):(?=[^\s/])/g;

/** Passwords that a command line carries in a short option. */
export const findCommandSecrets: Detector = function* (text, report) {
  // Every such option has a dash behind a blank or a quote.
  if (!OPTION_HINT.test(text)) return;
  yield* eachMatch(USER, text, (match) => {
    const from = match.index + match[0].length;
    const quote = match.groups?.quote ?? '';
    const user = match.groups?.user ?? '';
    const { to } = readValue(text, quote === '' ? from : from - user.length - 2);
    const secret = text.slice(from, Math.min(to, from + 64)).replace(/["'].{0,64}$/, '');
    if (
      user.includes('[redacted') ||
      isMark(secret) ||
      isHarmless(secret) ||
      secret === user ||
      /^\d{1,6}$/.test(secret)
    )
      return from;
    report(from, to);
    return to;
  });
  yield* eachMatch(LITERAL, text, (match) => {
    const from = match.index + match[0].length;
    const quote = match[1] ?? '';
    const end = quote === '' ? -1 : text.slice(from, lineEnd(text, from, from + LONGEST_COMMAND)).indexOf(quote);
    if (end < 0) return take(text, from, report);
    if (!isMark(text, from)) report(from, from + end);
    return from + end;
  });
  yield* eachMatch(DOMAIN_USER, text, (match) => take(text, match.index + match[0].length, report));
  yield* eachMatch(PIPED, text, (match) => {
    const start = lineStart(text, match.index, LONGEST_PIPE);
    const before = text.slice(start, match.index);
    const begin = start + Math.max(0, before.lastIndexOf('echo '), before.lastIndexOf('printf '));
    const echoed = ECHOED.exec(text.slice(begin, match.index));
    const said = echoed?.[2] ?? '';
    const secret = match[0] === 'chpasswd' ? said.slice(said.indexOf(':') + 1) : said;
    if (echoed === null || isMark(secret) || isHarmless(secret)) return undefined;
    const from = begin + echoed[0].lastIndexOf(secret);
    report(from, from + secret.length);
    return undefined;
  });
  for (const [command, option] of COMMANDS) {
    yield* eachMatch(command, text, (match) => {
      const begin = match.index + match[0].length;
      const until = lineEnd(text, begin, begin + LONGEST_COMMAND);
      const tail = text.slice(begin, until);
      finish(
        eachMatch(OPTION[option], tail, (flag) => {
          take(text, begin + flag.index + flag[0].length, report);
          return undefined;
        }),
      );
      return until;
    });
  }
};

function take(text: string, at: number, report: (from: number, to: number) => void): undefined {
  const { from, to } = readValue(text, at, { limit: Math.min(text.length, at + LONGEST_COMMAND) });
  const secret = text.slice(from, to);
  if (secret === '' || secret.startsWith('-') || isMark(secret) || isHarmless(secret)) return;
  report(from, to);
}
