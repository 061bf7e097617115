import { isHarmless } from './looks-secret.ts';
import { type Detector, eachMatch, isMark } from './span.ts';

/** A line of `.pgpass`: host, port, database, user, password. */
const PGPASS =
  /(?<=^|[\n"']|Z |\\n)(?![\w-]{1,64}\.(?:py|go|rb|js|ts|rs|java|c|cc|cpp|php):)(?:\*|[A-Za-z\d][\w.-]{0,252}):(?:\d{4,5}|\*):(?:\*|[A-Za-z_][\w-]{0,62}):(?:\*|[A-Za-z_][\w-]{0,62}):(?=[^\s:])/g;
const TO_END = /^(?:\\[:\\]|[^\r\n\\"'])+/;
const LONGEST_PASSWORD = 256;

/** netrc over lines: an entry's password stands below its machine and login. */
const NETRC = /(?<=\n|\\n)[^\S\n]{0,64}(?:\d{4}-\d\d-\d\dT[\d:.+Z-]{4,32} {1,64})?password(?:[ \t]{1,8})(?=\S)/g;
const ENTRY = /(?:^|[\s"'])(?:machine|login|account)[ \t]{1,8}[^\s\\]{1,253}(?:\\r|\r)?[ \t]{0,8}$/;
const LONGEST_LINE = 320;

export const findFilePasswords: Detector = function* (text, report) {
  if (text.includes(':*:') || /:\d{4,5}:/.test(text))
    yield* eachMatch(PGPASS, text, (match) => {
      const from = match.index + match[0].length;
      const password = TO_END.exec(text.slice(from, from + LONGEST_PASSWORD))?.[0].trimEnd() ?? '';
      if (!isMark(password) && !isHarmless(password)) report(from, from + password.length);
      return from + password.length;
    });
  yield* eachMatch(NETRC, text, (match) => {
    const from = match.index + match[0].length;
    if (!ENTRY.test(lineBefore(text, match.index))) return undefined;
    const password = /^(?:[^\s\\]|\\[^nr])+/.exec(text.slice(from, from + LONGEST_PASSWORD))?.[0] ?? '';
    if (!isMark(password) && !isHarmless(password)) report(from, from + password.length);
    return from + password.length;
  });
};

/** The line that ends right before `at`, whose end is a line break or an escaped one. */
function lineBefore(text: string, at: number): string {
  const end = text[at - 1] === '\n' ? at - 1 : at - 2;
  const line = text.slice(Math.max(0, end - LONGEST_LINE), end);
  const escaped = line.lastIndexOf('\\n');
  return line.slice(Math.max(line.lastIndexOf('\n') + 1, escaped < 0 ? 0 : escaped + 2));
}
