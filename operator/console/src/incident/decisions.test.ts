import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { actionOfPlan, type Decidable, decidedText } from './decisions.ts';

type Vote = Decidable['proposals'][number]['votes'][number];

function vote(decision: Vote['decision'], name: string): Vote {
  return {
    decision,
    by: { subject: name.toLowerCase(), name },
    reason: null,
    source: 'api',
    at: '2026-11-30T10:00:00.000Z',
  };
}

const WAITING = { state: 'AwaitingApproval', admittedAt: null } as const;
const ADMITTED = { state: 'Executing', admittedAt: '2026-11-30T10:00:01.000Z' } as const;

describe('who decided an action', () => {
  const cases: readonly (readonly [string, Decidable, string])[] = [
    ['nobody', { ...WAITING, proposals: [{ revision: 1, votes: [] }] }, 'nobody has decided yet'],
    [
      'both sides by name',
      { ...WAITING, proposals: [{ revision: 1, votes: [vote('approve', 'Ana'), vote('deny', 'Ben')] }] },
      'approved by Ana, denied by Ben',
    ],
    [
      'nobody, where the approval was for an earlier revision',
      {
        ...WAITING,
        proposals: [
          { revision: 2, votes: [] },
          { revision: 1, votes: [vote('approve', 'Ana')] },
        ],
      },
      'nobody has decided yet',
    ],
    [
      'who approved the newest revision, in whatever order they come',
      {
        ...ADMITTED,
        proposals: [
          { revision: 1, votes: [vote('deny', 'Ana')] },
          { revision: 2, votes: [vote('approve', 'Ben')] },
        ],
      },
      'approved by Ben',
    ],
    ['policy, where nobody was asked', { ...ADMITTED, proposals: [] }, 'by policy alone'],
    ['nobody, where it ended before', { state: 'ApprovalExpired', admittedAt: null, proposals: [] }, 'not carried out'],
  ];
  for (const [who, action, text] of cases) it(`is ${who}`, () => assert.equal(decidedText(action), text));
});

describe('the action of the newest plan', () => {
  const at = (second: number) => ({ createdAt: `2026-11-30T10:00:0${second}.000Z` });
  it('is the newest action, where it was made with that plan or after it', () => {
    assert.deepEqual(actionOfPlan([at(5), at(1)], at(5)), at(5));
    assert.deepEqual(actionOfPlan([at(6), at(1)], at(5)), at(6));
  });
  it('is none where the newest action belongs to an earlier plan', () =>
    assert.equal(actionOfPlan([at(1)], at(5)), undefined));
  it('is none without a plan, and without an action', () => {
    assert.equal(actionOfPlan([at(1)], null), undefined);
    assert.equal(actionOfPlan([], at(1)), undefined);
  });
});
