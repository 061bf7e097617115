import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { writerOf } from './managed-fields.ts';

const entry = (manager: string, time: string, fieldsV1: unknown) => ({ manager, operation: 'Update', time, fieldsV1 });
const PAUSED = { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } };

test('the newest manager that holds the field is its writer', () => {
  const managedFields = [
    entry('argocd-controller', '2026-01-01T10:00:00Z', PAUSED),
    entry('kubectl-rollout', '2026-01-01T11:00:00Z', PAUSED),
    entry('kube-controller-manager', '2026-01-01T12:00:00Z', { 'f:status': {} }),
  ];
  assert.deepEqual(writerOf({ metadata: { managedFields } }, ['spec', 'paused']), {
    manager: 'kubectl-rollout',
    at: new Date('2026-01-01T11:00:00Z'),
  });
});

test('a field that nobody is recorded for has no writer, and odd entries are passed over', () => {
  assert.equal(writerOf({}, ['spec', 'paused']), undefined);
  fc.assert(
    fc.property(fc.jsonValue(), (managedFields) => {
      writerOf({ metadata: { managedFields } }, ['spec', 'paused']);
    }),
  );
});
