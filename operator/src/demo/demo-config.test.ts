import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parsePolicy } from '@hephaisto/policy/policy-file';
import { demoPolicy } from './demo-config.ts';

it("the demo's own policy is one that an installation would accept", () => {
  const parsed = parsePolicy(JSON.parse(demoPolicy(20)));
  assert.deepEqual(parsed.kind === 'refused' ? parsed.problems : [], []);
});
