import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Inverse } from '@hephaisto/core/action/types';
import fc from 'fast-check';
import { inverseOfStored, storedInverse } from './stored-inverse.ts';

const WHERE = {
  apiVersion: 'apps/v1',
  resource: 'deployments',
  namespace: 'shop',
  name: 'checkout',
  uid: 'u',
} as const;
/** Any text at all: NUL, halves of characters, backslashes before what only looks like an escape. */
const text = fc.array(fc.constantFrom('\u0000', '\ud800', '\udc00', '\\', 'u0000', '"', 'a', 'é'), { maxLength: 8 });
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text.map((parts) => parts.join('')),
    fc.integer(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      text.map((parts) => `k${parts.join('')}`),
      tie('value'),
      { maxKeys: 3 },
    ),
  ),
})).value;

test('what is stored can be stored, and gives back the very same values', () => {
  fc.assert(
    fc.property(value, value, (written, prior) => {
      const inverse: Inverse = { kind: 'replace', ...WHERE, values: [{ path: '/spec', written, prior }] };
      const stored = storedInverse(inverse);
      const column = JSON.parse(stored);
      assert.ok(!/(?<!\\)(?:\\\\)*\\u(0000|d[89a-f])/.test(stored), stored);
      assert.equal(column.kind, 'replace');
      assert.deepEqual(inverseOfStored(column), JSON.parse(JSON.stringify(inverse)));
    }),
  );
});

test('what holds nothing of the kind is stored as it is', () => {
  const none: Inverse = { kind: 'none', why: 'a pod is made anew' };
  const plain: Inverse = { kind: 'replace', ...WHERE, values: [{ path: '/spec', written: 1, prior: '\\u0000' }] };
  for (const inverse of [none, plain]) assert.equal(storedInverse(inverse), JSON.stringify(inverse));
});
