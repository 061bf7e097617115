import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INCIDENT_STATES } from '../incident/machine.ts';
import { changesOf } from './changes.ts';
import { nextStep } from './next-step.ts';
import { PROBLEMS } from './problem.ts';
import { problemPage } from './problem-page.ts';
import { timeInStates } from './time-in-states.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
const TERMINAL = ['Resolved'];

function step(minute: number, from: string | null, to: string) {
  return { kind: 'transition', from, to, at: at(minute) };
}

test('each state lasts until the next one, and the last until now', () => {
  const spans = timeInStates([step(0, null, 'Detected'), step(1, 'Detected', 'Escalated')], at(61), TERMINAL);
  assert.deepEqual(
    spans.map((span) => [span.state, span.seconds, span.to]),
    [
      ['Detected', 60, at(1)],
      ['Escalated', 3600, null],
    ],
  );
});

test('an incident that is over stays no longer in any state', () => {
  const spans = timeInStates([step(0, null, 'Detected'), step(5, 'Detected', 'Resolved')], at(99), TERMINAL);
  assert.deepEqual(spans.at(-1), { state: 'Resolved', from: at(5), to: at(5), seconds: 0 });
});

test('notes, and a step from a state to itself, open no new span', () => {
  const note = { kind: 'note', from: null, to: null, at: at(2) };
  const again = step(3, 'AwaitingApproval', 'AwaitingApproval');
  const spans = timeInStates([step(0, null, 'AwaitingApproval'), note, again], at(10), TERMINAL);
  assert.deepEqual(
    spans.map((span) => span.seconds),
    [600],
  );
});

test('the change that decided is marked, and a cause that is no change shows none', () => {
  const cause = {
    kind: 'rollout-change',
    revision: 42,
    previousRevision: 41,
    changedAt: new Date(at(0)),
    changes: [
      { path: 'image', from: 'a:1', to: 'a:2' },
      { path: 'env[X].value', to: '1' },
    ],
    decisive: { path: 'env[X].value' },
  };
  assert.deepEqual(changesOf(cause), [
    { at: at(0), what: 'revision 41 → 42', path: 'image', from: 'a:1', to: 'a:2', decisive: false },
    { at: at(0), what: 'revision 41 → 42', path: 'env[X].value', from: null, to: '1', decisive: true },
  ]);
  assert.deepEqual(changesOf({ kind: 'image-missing', image: 'x' }), []);
  assert.deepEqual(changesOf({ kind: 'rollout-change', changes: 'garbled' }), []);
  assert.deepEqual(changesOf({ kind: 'rollout-change', changes: [null, 5, { from: 'x' }], changedAt: 'never' }), []);
});

const FACTS = {
  escalationReason: null,
  suppressedReason: null,
  resolutionSource: null,
  rollbackSubReason: null,
  assignedTo: null,
  recovered: false,
  proposal: null,
};

test('every state says what happens next', () => {
  for (const state of INCIDENT_STATES) assert.match(nextStep({ ...FACTS, state }), /\S/);
});

const NEXT: Readonly<
  Record<
    string,
    readonly [Partial<Parameters<typeof nextStep>[0]> & { state: 'AwaitingApproval' | 'Escalated' }, string]
  >
> = {
  'one vote of two is missing': [
    { state: 'AwaitingApproval', proposal: { state: 'Open', approvals: 1, quorum: 2 } },
    'waiting for an approval',
  ],
  'two votes are missing': [
    { state: 'AwaitingApproval', proposal: { state: 'Open', approvals: 0, quorum: 2 } },
    'waiting for 2 approvals',
  ],
  'a person has it, and the undo is told': [
    { state: 'Escalated', escalationReason: 'VerificationFailed', rollbackSubReason: 'RolledBack', assignedTo: 'Ana' },
    'Ana has it: the change did not help, RolledBack',
  ],
  'nobody has it': [
    { state: 'Escalated', escalationReason: 'NoPlanProduced' },
    'a person has to look: no safe action follows from the cause',
  ],
  'its workload has recovered': [
    { state: 'Escalated', escalationReason: 'NoPlanProduced', recovered: true },
    'a person has to look: no safe action follows from the cause; recovered, closes by itself unless it fires again',
  ],
};
for (const [sentence, [facts, expected]] of Object.entries(NEXT)) {
  test(sentence, () => assert.equal(nextStep({ ...FACTS, ...facts }), expected));
}

test('each problem code is in the reference, once', () => {
  const page = problemPage();
  for (const code of Object.keys(PROBLEMS)) assert.equal(page.split(`\`${code}\``).length, 2, code);
});
