import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Problem } from '@hephaisto/core/report/problem';
import { CallFailed } from './call.ts';
import { pressKey } from './press-key.ts';

const SILENCE = new CallFailed({ kind: 'unreached', message: 'the server did not answer' });

function refusal(status: number, code: Problem['code']): CallFailed {
  return new CallFailed({
    kind: 'refused',
    problem: { type: 'about:blank', title: 'Refused', status, code, detail: code },
  });
}

describe('the key of a press', () => {
  const undecided = [
    ['silence', SILENCE],
    ['the answer that the first press is still being worked on', refusal(409, 'request-in-progress')],
    ['an answer that a proxy may have given', refusal(502, 'internal')],
  ] as const;
  for (const [what, error] of undecided)
    it(`stays after ${what}, since it may have been carried out`, () => {
      const key = pressKey();
      const first = key.of('looks fine');
      assert.equal(key.refused(error), false);
      assert.equal(key.of('looks fine'), first);
    });
  it('is another for another text, since that is another request', () => {
    const key = pressKey();
    const first = key.of('looks fine');
    key.refused(SILENCE);
    assert.notEqual(key.of('looks finer'), first);
  });
  it('is another after a refusal, which would only be repeated', () => {
    const key = pressKey();
    const first = key.of('looks fine');
    assert.equal(key.refused(refusal(409, 'nothing-changed')), true);
    assert.notEqual(key.of('looks fine'), first);
  });
  it('is another once it was carried out', () => {
    const key = pressKey();
    const first = key.of('looks fine');
    key.carriedOut();
    assert.notEqual(key.of('looks fine'), first);
  });
});
