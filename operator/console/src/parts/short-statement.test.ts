import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortStatement, shortTitle } from './short-statement.ts';

test('a variable is named with its container, another field by the path that tells it apart', () => {
  assert.equal(
    shortStatement('spec.template.spec.containers[checkout].env[PAYMENTS_URL].value changed from a to b'),
    'PAYMENTS_URL of container checkout changed from a to b',
  );
  assert.equal(shortStatement('spec.template.spec.containers[web].image changed'), 'containers[web].image changed');
  assert.equal(shortStatement('nothing of the kind'), 'nothing of the kind');
});

test('a title loses the namespace only where it ends with it', () => {
  assert.equal(shortTitle({ title: 'Crash of web in shop', namespace: 'shop' }), 'Crash of web');
  assert.equal(shortTitle({ title: 'Crash of web in shop-2', namespace: 'shop' }), 'Crash of web in shop-2');
  assert.equal(shortTitle({ title: 'A node is gone', namespace: null }), 'A node is gone');
});
