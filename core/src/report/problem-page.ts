import { PROBLEMS } from './problem.ts';

/** The reference of refusals, by code. */
export function problemPage(): string {
  const rows = Object.entries(PROBLEMS).map(([code, { status, title }]) => `| \`${code}\` | ${status} | ${title} |`);
  return [
    '# Problem codes',
    '',
    'Every refusal of the API is a problem document (RFC 9457, `application/problem+json`). Its `code` and `status` never change their',
    'meaning; `detail` is a sentence for people, `details` are facts of the refusal, `instance` names the request in the log.',
    '',
    '| code | status | meaning |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
