import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LAST_WORD_LOGS } from './last-words.fixture.ts';
import { lastWords, levelOf } from './last-words.ts';
import { LAST_WORD_FORMS, NO_ERRORS, REPORTS_AN_END, STACK_FRAME } from './last-words-table.ts';

const MARK = '>> ';

for (const [program, text] of Object.entries(LAST_WORD_LOGS)) {
  test(`the line that says why it ended is found: ${program}`, () => {
    const lines = text.split('\n');
    const expected = lines.find((line) => line.startsWith(MARK))?.slice(MARK.length);
    const plain = lines.map((line) => (line.startsWith(MARK) ? line.slice(MARK.length) : line));
    const log = {
      stepId: 's',
      text: plain.join('\n'),
      tainted: false,
      value: { pod: 'p', container: 'c', previous: true, lines: plain },
    };
    assert.equal(lastWords([log])?.line, expected);
  });
}

const ORDINARY: readonly string[] = [
  'info handled 212 requests, 0 errors',
  'level=info msg="reload finished" err=nil',
  'GET /healthz 200 1ms',
  '    at onError (/app/server.js:3:1)',
  '  File "/app/errors.py", line 3, in ValueError',
  'INFO Tomcat started on port 8080',
  'LOG:  database system is ready to accept connections',
  'connected to db:5432',
];

for (const line of ORDINARY) {
  test(`an ordinary line is no last word: ${line}`, () => assert.equal(levelOf(line), undefined));
}

test('no form repeats without a bound what any character may be, so each runs in linear time', () => {
  for (const form of [...LAST_WORD_FORMS.map((row) => row.form), NO_ERRORS, REPORTS_AN_END, STACK_FRAME]) {
    assert.doesNotMatch(form.source.replace('^\\s*', ''), /[^\\][*+]|\\[swSWdD][*+]|\{\d+,\}/, form.source);
  }
});
