import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApproveFacts, frictionOf, judgeReadiness } from './friction.ts';

const ready: ApproveFacts = {
  friction: frictionOf('medium', 1, 'checkout'),
  freshness: { state: 'live', seconds: 1 },
  right: { kind: 'may' },
  stopped: false,
  proposalState: 'Open',
  secondsLeft: 300,
  supersededBy: null,
  alreadyVoted: false,
  reason: '',
  typed: '',
  diffSeen: false,
  busy: false,
};

describe('friction', () => {
  it('grows with the risk, and with the number of people', () => {
    assert.deepEqual(frictionOf('low', 1, 'x'), { reasonRequired: false, typedName: undefined, diffFirst: false });
    assert.deepEqual(frictionOf('medium', 1, 'x'), { reasonRequired: false, typedName: undefined, diffFirst: false });
    assert.deepEqual(frictionOf('high', 1, 'x'), { reasonRequired: true, typedName: 'x', diffFirst: true });
    assert.deepEqual(frictionOf('low', 2, 'x'), frictionOf('high', 1, 'x'));
  });
  it('is full for a risk that this version does not know', () => {
    assert.deepEqual(frictionOf('enormous', 1, 'x'), frictionOf('high', 1, 'x'));
  });
});

describe('the approve button', () => {
  const high = frictionOf('high', 1, 'checkout');
  const cases: Readonly<Record<string, readonly [Partial<ApproveFacts>, string]>> = {
    'is ready when nothing is asked': [{}, 'ready'],
    'is off while the screen may be old': [{ freshness: { state: 'stale', seconds: 30, why: '' } }, 'stale'],
    'is off without a line': [{ freshness: { state: 'offline', since: 0, why: '' } }, 'stale'],
    'is off when the target moved': [{ proposalState: 'Superseded' }, 'replaced'],
    'is off when a newer revision is known': [{ supersededBy: 'x' }, 'replaced'],
    'is off when somebody decided': [{ proposalState: 'Denied' }, 'settled'],
    'is off when it has run out': [{ secondsLeft: 0 }, 'expired'],
    'is off while everything is stopped': [{ stopped: true }, 'stopped'],
    'is off while the switches could not be read': [{ stopped: undefined }, 'switch-unknown'],
    'is off for who may not': [{ right: { kind: 'may-not', why: 'needs approver' } }, 'no-right'],
    'is off for the second press': [{ busy: true }, 'busy'],
    'is off for the same person twice': [{ alreadyVoted: true }, 'voted'],
    'asks for the diff first where it is risky': [{ friction: high }, 'diff'],
    'asks for a reason where it is risky': [{ friction: high, diffSeen: true }, 'reason'],
    'asks for the name where it is risky': [{ friction: high, diffSeen: true, reason: 'x' }, 'name'],
    'says that a name does not match': [
      { friction: high, diffSeen: true, reason: 'x', typed: 'checkou' },
      'name-mismatch',
    ],
    'is ready once all is there': [{ friction: high, diffSeen: true, reason: 'x', typed: 'checkout ' }, 'ready'],
  };
  for (const [sentence, [facts, code]] of Object.entries(cases)) {
    it(sentence, () => {
      const judged = judgeReadiness({ ...ready, ...facts });
      assert.equal(judged.kind === 'ready' ? 'ready' : judged.code, code);
    });
  }
});
