import { finish } from '../../steps.ts';
import { isHarmless } from './looks-secret.ts';
import { readValue } from './read-value.ts';
import { type Detector, eachMatch, isMark, lineEnd } from './span.ts';

const LONGEST_STATEMENT = 256;
/** A user is made or changed: elsewhere `identified by` is a sentence. */
const MAKES_USER = /\b(?:create|alter|grant|set)\s/i;
const AFTER_VALUE = /\\{0,7}["']?\s{1,4}(?:->|=>|replace)\s{1,4}(?=\\{0,7}["']|\S)/iy;

/** Where SQL gives a password: `IDENTIFIED BY x`, `PASSWORD('x')`, `= N'x'` after a name is found by the name. */
const SQL: readonly RegExp[] = [
  /\bidentified\s{1,8}(?:with\s{1,8}\w{1,64}\s{1,8})?(?:by|as)\s{1,16}(?:(?:password|values)\s{1,8})?(?=\S)/gi,
  /\bset\s{1,8}password(?:\s{1,8}for\s{1,8}[^\s=]{1,128})?\s{0,8}=\s{0,8}(?:password\()?(?=['"])/gi,
  /\bpassword\((?=['"][^'"])/gi,
  /\.auth\(\s{0,4}["'][^"'\n]{1,64}["'],\s{0,4}(?=["'])/g,
];

/** Redis: what MONITOR prints in quotes, and `AUTH default x`. */
const REDIS: readonly RegExp[] = [
  /"auth" (?:"[^"\n]{1,64}" )?(?="[^"\n]{1,256}"\s{0,8}$)/gim,
  /(?<![\w-])AUTH default (?=\S)/g,
];

/** Passwords in statements that are sent to databases. */
export const findStatementSecrets: Detector = function* (text, report) {
  const take = (at: number): number | undefined => {
    const { from, to, quoted } = readValue(text, at, { limit: Math.min(text.length, at + LONGEST_STATEMENT) });
    const secret = text.slice(from, to).replace(/;$/, '');
    if (secret === '' || isMark(secret) || (!quoted && isHarmless(secret))) return undefined;
    report(from, from + secret.length);
    return from + secret.length;
  };
  for (const form of SQL) {
    yield* eachMatch(form, text, (match) => {
      const at = match.index + match[0].length;
      const isQuoted = text[at] === '"' || text[at] === "'";
      if (!isQuoted && !MAKES_USER.test(text.slice(Math.max(0, match.index - LONGEST_STATEMENT), match.index)))
        return undefined;
      const end = take(at);
      if (end === undefined) return undefined;
      AFTER_VALUE.lastIndex = end;
      const next = AFTER_VALUE.exec(text);
      return next === null ? end : (take(end + next[0].length) ?? end);
    });
  }
  if (!/auth|setuser/i.test(text)) return;
  for (const form of REDIS) yield* eachMatch(form, text, (match) => take(match.index + match[0].length));
  yield* eachMatch(/\bSETUSER \S/gi, text, (match) => {
    const until = lineEnd(text, match.index, match.index + LONGEST_STATEMENT);
    const tail = text.slice(match.index, until);
    finish(eachMatch(/[\s"][>#](?=\S)/g, tail, (rule) => take(match.index + rule.index + rule[0].length)));
    return until;
  });
};
