import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIds } from './ids.ts';

test('ids sort in the order they were made, even within one millisecond and when the clock goes back', () => {
  let now = 1_700_000_000_000;
  const ids = createIds({ now: () => new Date(now) });
  const made: string[] = [];
  for (let n = 0; n < 10_000; n += 1) {
    if (n === 9_000) now -= 5_000;
    made.push(ids.uuid());
  }
  assert.deepEqual([...made].sort(), made);
  assert.equal(new Set(made).size, made.length);
  assert.match(made[0] ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('a token carries 256 bits', () => {
  const ids = createIds({ now: () => new Date(0) });
  assert.equal(Buffer.from(ids.token(), 'base64url').length, 32);
  assert.notEqual(ids.token(), ids.token());
});
