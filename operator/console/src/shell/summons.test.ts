import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Session } from '@hephaisto/core/report/installation';
import { type CallingRow, type Summons, summon } from './summons.ts';

const ANA: Session = {
  subject: 'ana',
  name: 'Ana',
  via: 'session',
  grants: [{ role: 'approver', namespace: 'shop' }],
  expiresAt: null,
  csrfToken: null,
};

const waits = (id: string, namespace: string | null = 'shop'): CallingRow => ({
  state: 'AwaitingApproval',
  namespace,
  proposal: { id },
});

/** What is said at each of several answers of the inbox, the first of which is the page's opening. */
function said(...answers: readonly (readonly CallingRow[])[]): readonly (string | undefined)[] {
  let held: Summons | undefined;
  return answers.map((rows) => {
    held = summon(held?.known, rows, ANA);
    return held.word;
  });
}

const ONE = 'A new proposal needs you';

describe('a summons', () => {
  const cases: Readonly<
    Record<string, readonly [readonly (readonly CallingRow[])[], readonly (string | undefined)[]]>
  > = {
    'is not made of what already waited': [
      [[waits('a')], [waits('a')]],
      [undefined, undefined],
    ],
    'comes once for each new proposal': [
      [[], [waits('a')], [waits('a')], [waits('a'), waits('b')]],
      [undefined, ONE, undefined, ONE],
    ],
    'counts those that come together': [
      [[], [waits('a'), waits('b')]],
      [undefined, '2 new proposals need you'],
    ],
    'comes again for a new proposal of the same incident': [
      [[waits('a')], [waits('a2')]],
      [undefined, ONE],
    ],
    'does not come again for one that was away': [
      [[waits('a')], [], [waits('a')]],
      [undefined, undefined, undefined],
    ],
    'is for who may decide': [
      [[], [waits('a', 'bank'), waits('b', null)]],
      [undefined, undefined],
    ],
    'is for what waits': [
      [[], [{ ...waits('a'), state: 'Acting' }]],
      [undefined, undefined],
    ],
    'waits for the proposal where the state is there first': [
      [[], [{ ...waits('a'), proposal: null }], [waits('a')]],
      [undefined, undefined, ONE],
    ],
  };
  for (const [sentence, [answers, expected]] of Object.entries(cases)) {
    it(sentence, () => assert.deepEqual(said(...answers), expected));
  }
});
