import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { differing } from './differing.ts';

test('a letter that looks like a digit is what differs', () => {
  assert.deepEqual(differing('http://payments:8O80', 'http://payments:8080'), {
    before: 'http://payments:8',
    differs: 'O',
    after: '80',
  });
});

test('what was only added leaves nothing marked in the shorter value', () => {
  assert.equal(differing('256Mi', '1256Mi')?.differs, '');
  assert.equal(differing('1256Mi', '256Mi')?.differs, '1');
});

test('values with little in common are not marked', () => {
  assert.equal(differing('4', '40'), undefined);
  assert.equal(differing('same', 'same'), undefined);
});

test('the parts make the value again, whatever it is', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      const found = differing(a, b);
      if (found !== undefined) assert.equal(found.before + found.differs + found.after, a);
    }),
  );
});
