import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifies } from '@hephaisto/test/verifies';
import fc from 'fast-check';
import { laidOut, sentStretches } from './redactions.ts';

test('what was taken out is marked, and every byte that was sent is shown', () => {
  verifies('H3-3');
  assert.deepEqual(sentStretches('a [redacted:1] b [redacted]'), [
    { text: 'a ', redacted: false },
    { text: '[redacted:1]', redacted: true },
    { text: ' b ', redacted: false },
    { text: '[redacted]', redacted: true },
  ]);
  const text = fc.array(fc.oneof(fc.string(), fc.constant('[redacted:12]'))).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (body) => {
      const stretches = sentStretches(body);
      assert.equal(stretches.map((each) => each.text).join(''), body);
      assert.ok(stretches.every((each) => !each.redacted || /^\[redacted(:\d+)?\]$/.test(each.text)));
    }),
  );
});

test('a request is laid out with its line ends, and what is no JSON is left alone', () => {
  assert.equal(laidOut('{"a":"x\\ny"}'), '{\n  "a": "x\n      y"\n}');
  assert.equal(laidOut('{"a":'), undefined);
});
