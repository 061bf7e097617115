import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { actingState, actingWords } from './acting-state.ts';

const live = { stop: false, mode: 'approve', freshness: 'live' } as const;

describe('acting state in the bar', () => {
  const CASES = [
    ['the switches have not been read', { ...live, stop: undefined }, 'unknown', 'unknown'],
    ['the mode has not been read', { ...live, mode: undefined }, 'unknown', 'unknown'],
    ['the screen is stale', { ...live, freshness: 'stale' }, 'unknown', 'unknown'],
    ['the device is offline', { ...live, freshness: 'offline' }, 'unknown', 'unknown'],
    ['the stop is on', { ...live, stop: true }, 'stopped', 'STOPPED'],
    ['the stop was on when the screen became old', { ...live, stop: true, freshness: 'stale' }, 'stopped', 'STOPPED'],
    ['the mode is off', { ...live, mode: 'off' }, 'held', 'off'],
    ['the mode is observe', { ...live, mode: 'observe' }, 'held', 'observe'],
    ['the mode is dryrun', { ...live, mode: 'dryrun' }, 'held', 'dryrun'],
    ['a newer server names a mode that this page does not know', { ...live, mode: 'canary' }, 'held', 'canary'],
    ['the mode is approve', live, 'acting', 'on approval'],
    ['the mode is auto', { ...live, mode: 'auto' }, 'acting', 'auto'],
  ] as const;
  for (const [when, facts, kind, word] of CASES)
    it(`is ${kind} when ${when}`, () => {
      const state = actingState(facts);
      assert.equal(state.kind, kind);
      assert.equal(actingWords(state).word, word);
    });
});
