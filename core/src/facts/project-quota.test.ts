import assert from 'node:assert/strict';
import { test } from 'node:test';
import { projectLimitRange, projectResourceQuota } from './project-quota.ts';

test('a quota tells what is used of it, a range what containers get, and odd objects are empty', () => {
  const quota = projectResourceQuota({
    metadata: { name: 'team' },
    status: { hard: { pods: '10', 'limits.memory': '4Gi' }, used: { pods: '10' } },
  });
  assert.deepEqual(quota.entries, [
    { what: 'pods', used: '10', limit: '10' },
    { what: 'limits.memory', used: '0', limit: '4Gi' },
  ]);
  const range = projectLimitRange({
    metadata: { name: 'defaults' },
    spec: { limits: [{ type: 'Container', default: { memory: '128Mi' }, max: { cpu: '2' } }] },
  });
  assert.deepEqual(range.entries, [
    { what: 'Container max cpu', limit: '2' },
    { what: 'Container default memory', limit: '128Mi' },
  ]);
  assert.deepEqual(projectLimitRange({ spec: 'odd' }).entries, []);
});
