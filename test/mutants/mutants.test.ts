import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareWithReasons, type Outcome, type Reason } from './reasons.ts';
import { scopeOf } from './scope.ts';
import { isSentence } from './sentences.ts';

const SURVIVOR: Outcome = {
  file: 'policy/src/a.ts',
  lineNumber: 3,
  line: 'return whole > 0;',
  replacement: 'whole >= 0',
  status: 'survived',
};
const REASON: Reason = { file: SURVIVOR.file, line: SURVIVOR.line, replacement: 'whole >= 0', reason: 'equivalent' };
const judged = (outcomes: readonly Outcome[], reasons: readonly Reason[], files = [SURVIVOR.file]) => {
  const { unexplained, stale, explained } = compareWithReasons(outcomes, reasons, files);
  return { unexplained: unexplained.length, stale: stale.length, explained };
};

describe('survivors and their reasons', () => {
  const rows: readonly (readonly [string, ReturnType<typeof judged>, ReturnType<typeof judged>])[] = [
    ['a survivor without a reason fails', judged([SURVIVOR], []), { unexplained: 1, stale: 0, explained: 0 }],
    ['a survivor with its reason passes', judged([SURVIVOR], [REASON]), { unexplained: 0, stale: 0, explained: 1 }],
    [
      'a reason holds when other lines move its own',
      judged([{ ...SURVIVOR, lineNumber: 40 }], [REASON]),
      { unexplained: 0, stale: 0, explained: 1 },
    ],
    [
      'a reason ends when its line changes',
      judged([{ ...SURVIVOR, line: 'return all > 0;' }], [REASON]),
      { unexplained: 1, stale: 1, explained: 0 },
    ],
    [
      'a reason for another change of the same line explains nothing',
      judged([SURVIVOR], [{ ...REASON, replacement: 'true' }]),
      { unexplained: 1, stale: 1, explained: 0 },
    ],
    [
      'a reason whose mutant a test kills fails',
      judged([{ ...SURVIVOR, status: 'killed' }], [REASON]),
      { unexplained: 0, stale: 1, explained: 0 },
    ],
    [
      'a reason about a file that was not mutated is not stale',
      judged([], [REASON], ['policy/src/b.ts']),
      { unexplained: 0, stale: 0, explained: 0 },
    ],
    [
      'a mutant whose tests could not run fails, since it may be a survivor',
      judged([{ ...SURVIVOR, status: 'invalid' }], []),
      { unexplained: 1, stale: 0, explained: 0 },
    ],
    [
      'a reason does not lift a mutant whose tests could not run',
      judged([{ ...SURVIVOR, status: 'invalid' }], [REASON]),
      { unexplained: 1, stale: 1, explained: 0 },
    ],
  ];
  for (const [name, found, expected] of rows) it(name, () => assert.deepEqual(found, expected));
});

describe('which files are mutated', () => {
  it('covers a file that no list names', () =>
    assert.deepEqual(scopeOf(['a.ts', 'new.ts'], ['a.ts']), { covered: ['new.ts'], pending: ['a.ts'], missing: [] }));

  it('names a pending path that has no file', () =>
    assert.deepEqual(scopeOf(['a.ts'], ['gone.ts']), { covered: ['a.ts'], pending: [], missing: ['gone.ts'] }));
});

describe('which texts are not mutated', () => {
  const literal = (value: string) => isSentence({ type: 'StringLiteral', value });
  const template = (...raws: readonly string[]) =>
    isSentence({ type: 'TemplateLiteral', quasis: raws.map((raw) => ({ value: { raw } })) });

  it('leaves sentences alone, with and without values in them', () =>
    assert.deepEqual(
      [literal('no rule sets bounds'), template('', ' pods serve'), template('of ', '')],
      [true, true, true],
    ));

  it('mutates codes, keys, separators and patterns', () =>
    assert.deepEqual(
      [literal('out_of_bounds'), literal('kube-*'), literal(', '), template('`', '`'), literal('')],
      [false, false, false, false, false],
    ));

  it('mutates everything that is no text', () => assert.equal(isSentence({ type: 'NumericLiteral', value: 1 }), false));
});
