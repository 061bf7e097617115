import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifies } from '@hephaisto/test/verifies';
import fc from 'fast-check';
import { settleCertainty } from './certainty.ts';
import type { ClaimedFinding } from './finding.ts';
import { type CitedStep, checkEvidence, groundFindings, SHORTEST_EXCERPT } from './ground.ts';

const TEXT = 'first line of the log\n  error:   cannot open\tthe file\nlast line';
const steps: Readonly<Record<string, CitedStep>> = {
  own: { kind: 'own', text: TEXT, tainted: false },
  tainted: { kind: 'own', text: TEXT, tainted: true },
  other: { kind: 'foreign' },
};
const step = (id: string) => steps[id];

const VERDICTS: Readonly<Record<string, { stepId: string; excerpt: string; reason: string | undefined }>> = {
  'words that stand there': { stepId: 'own', excerpt: 'error:   cannot open', reason: undefined },
  'the same words with other white space': {
    stepId: 'own',
    excerpt: ' error: cannot\nopen the file ',
    reason: undefined,
  },
  'one changed character': { stepId: 'own', excerpt: 'error: cannot opem the file', reason: 'not_substring' },
  'other case': { stepId: 'own', excerpt: 'Error: cannot open the file', reason: 'not_substring' },
  nothing: { stepId: 'own', excerpt: '', reason: 'empty_excerpt' },
  'white space': { stepId: 'own', excerpt: ' \n\t ', reason: 'empty_excerpt' },
  'too few characters': { stepId: 'own', excerpt: 'cannot open', reason: 'too_short' },
  'few characters padded with white space': { stepId: 'own', excerpt: 'cannot       open', reason: 'too_short' },
  "another investigation's step": { stepId: 'other', excerpt: 'error: cannot open', reason: 'foreign_step' },
  'a step that never was': { stepId: 'none', excerpt: 'error: cannot open', reason: 'unknown_step' },
};

for (const [sentence, { stepId, excerpt, reason }] of Object.entries(VERDICTS)) {
  test(`evidence: ${sentence}`, () => {
    verifies('H3-45', 'H3-46');
    const verdict = checkEvidence({ stepId, excerpt }, step);
    assert.equal(verdict.kind === 'rejected' ? verdict.reason : undefined, reason);
  });
}

test('any part of a text passes, and no part with one character changed', () => {
  verifies('H3-46');
  const words = fc.string({ unit: fc.constantFrom(...'abcde \n\t.'), minLength: 60, maxLength: 300 });
  fc.assert(
    fc.property(words, fc.nat(), fc.integer({ min: 20, max: 40 }), fc.nat(), (text, at, length, position) => {
      const from = at % (text.length - length);
      const excerpt = text.slice(from, from + length);
      fc.pre(excerpt.replace(/\s+/g, ' ').trim().length > SHORTEST_EXCERPT);
      const lookUp = (): CitedStep => ({ kind: 'own', text, tainted: false });
      assert.equal(checkEvidence({ stepId: 's', excerpt }, lookUp).kind, 'accepted');
      const index = position % excerpt.length;
      fc.pre(/\S/.test(excerpt.charAt(index)));
      const changed = `${excerpt.slice(0, index)}Z${excerpt.slice(index + 1)}`;
      assert.equal(checkEvidence({ stepId: 's', excerpt: changed }, lookUp).kind, 'rejected');
    }),
  );
});

function claim(overrides: Partial<ClaimedFinding>): ClaimedFinding {
  return {
    category: 'unknown',
    statement: 's',
    certainty: 'likely',
    rule: 'r',
    cause: { kind: 'unknown' },
    primary: false,
    evidence: [{ stepId: 'own', excerpt: 'error: cannot open' }],
    ...overrides,
  };
}
const FALSE = [{ stepId: 'own', excerpt: 'words that are nowhere' }];

test('a finding without evidence that stands is dropped, and says so', () => {
  verifies('H3-47');
  const [dropped] = groundFindings([claim({ primary: true, evidence: FALSE })], step);
  assert.equal(dropped?.status, 'dropped');
  assert.equal(dropped?.dropReason, 'no-evidence');
  assert.equal(dropped?.primary, false);
  assert.equal(dropped?.certainty, 'not_established');
});

test('one citation that stands keeps the finding, and the false one is shown as rejected', () => {
  verifies('H3-47');
  const [kept] = groundFindings(
    [claim({ evidence: [...FALSE, { stepId: 'own', excerpt: 'error: cannot open' }] })],
    step,
  );
  assert.equal(kept?.status, 'grounded');
  assert.deepEqual(
    kept?.evidence.map(({ kind }) => kind),
    ['rejected', 'accepted'],
  );
});

test('when the primary falls, the strongest of the rest takes its place', () => {
  const findings = groundFindings(
    [claim({ primary: true, evidence: FALSE }), claim({ certainty: 'possible' }), claim({ certainty: 'proven' })],
    step,
  );
  assert.deepEqual(
    findings.map(({ primary }) => primary),
    [false, false, true],
  );
});

test('exactly one of several claimed primaries is one, and a refuted hypothesis never is', () => {
  const two = groundFindings([claim({ primary: true }), claim({ primary: true, certainty: 'proven' })], step);
  assert.deepEqual(
    two.map(({ primary }) => primary),
    [false, true],
  );
  const none = groundFindings([claim({ certainty: 'not_established' })], step);
  assert.equal(none[0]?.primary, false);
});

test('a finding on tainted texts alone is marked, and one honest text lifts the mark', () => {
  const excerpt = 'error: cannot open';
  const [only, mixed] = groundFindings(
    [
      claim({ evidence: [{ stepId: 'tainted', excerpt }] }),
      claim({
        evidence: [
          { stepId: 'tainted', excerpt },
          { stepId: 'own', excerpt },
        ],
      }),
    ],
    step,
  );
  assert.equal(only?.restsOnTaint, true);
  assert.equal(mixed?.restsOnTaint, false);
});

const WORDS: Readonly<Record<string, { claim: Parameters<typeof settleCertainty>[0]; word: string }>> = {
  "a rule's own word stands": { claim: { rule: 'r', certainty: 'proven' }, word: 'proven' },
  'a model that says proven with 1.0 is likely at most': {
    claim: { certainty: 'proven', confidence: 1 },
    word: 'likely',
  },
  'a model at 0.6 is possible': { claim: { certainty: 'proven', confidence: 0.6 }, word: 'possible' },
  'a model below the threshold establishes nothing': {
    claim: { certainty: 'likely', confidence: 0.59 },
    word: 'not_established',
  },
  'a model without a number establishes nothing': { claim: { certainty: 'likely' }, word: 'not_established' },
};
for (const [sentence, { claim: said, word }] of Object.entries(WORDS)) {
  test(`certainty: ${sentence}`, () => {
    assert.equal(settleCertainty(said), word);
  });
}
