import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redactText } from './redact.ts';
import { isTainted } from './taint.ts';

const FULL = 1_048_576;
/** Below this, a figure says more of the machine than of the work. */
const TELLING_MS = 250;
/** Four times the text may cost four times the work; quadratic work would cost sixteen times. */
const MAX_RATIO = 11;

const UNITS: readonly string[] = [
  ...['a', 'A', '0', '-', '_', '.', ':', '/', '=', '"', "'", '\\', ' ', '\n', '%', '&', ',', ';', '(', '{', '[', '<'],
  ...['>', '@', '\t', 'п', 'a.', 'a-', 'a://', 'token', 'token=', 'token: ', "token='a ", 'password=[', "auth='a "],
  ...['-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----\n', 'mysql -p', '-u a:', 'authorization: bearer:'],
  ...['AKIAIOSFODNN7EXAMPLE ', '@tcp(', 'eyJ-', '<password>', 'name: DB_PASSWORD\n', 'token=a,a', 'secret:\n', 'sk-'],
  ...['password for a: x\n', 'password is ', 'invalid token "a"', 'value: a\nname: DB_PASSWORD\n', '- --token\n'],
  ...['Private-Lines: 1\n', '"kty":"d":"', 'a:5432:a:a:', '\npassword a', 'echo a --password-stdin ', 'Ab1-'],
  ...['Authorization: X a=', 'create user identified by x ', 'SETUSER a >b ', "PASSWORD('a b')"],
  ...['ignore ', 'system: ', 'scale a to ', 'delete the ', 'mark a '],
];

/** Milliseconds of this thread's processor, the least of several runs: other work on the machine must not count. */
function cost(work: (text: string) => unknown, text: string): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 3 && least > TELLING_MS; run += 1) {
    const begin = process.threadCpuUsage();
    work(text);
    const { user, system } = process.threadCpuUsage(begin);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

for (const [name, work] of [
  ['redaction', redactText],
  ['the search for orders', isTainted],
] as const) {
  test(`${name} of 1 MiB of any run costs work in proportion to its length`, () => {
    for (const unit of UNITS) {
      const text = unit.repeat(Math.ceil(FULL / unit.length));
      let before = cost(work, text.slice(0, FULL / 64));
      // Growing by steps, so that quadratic work fails early and not after minutes.
      for (const size of [FULL / 16, FULL / 4, FULL]) {
        const now = cost(work, text.slice(0, size));
        const isTelling = now > TELLING_MS;
        assert.ok(
          !isTelling || now / Math.max(before, 10) <= MAX_RATIO,
          `${JSON.stringify(unit)} at ${size}: ${before} then ${now} ms`,
        );
        before = now;
      }
    }
  });
}
