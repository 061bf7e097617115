import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ACTION_TYPES } from '@hephaisto/core/action/types';
import { demoPolicy } from './demo-policy.ts';
import { parsePolicy, ruleFor } from './policy-file.ts';

it('the demo’s policy is a policy: approve everywhere, two people where asked, and it says what is shortened', () => {
  const parsed = parsePolicy(
    demoPolicy({
      namespaces: ['story-*'],
      twoApprovers: ['story-two-approvers-*'],
      podAge: '1s',
      verification: ['2s', '4s', '8s'],
    }),
  );
  if (parsed.kind === 'refused') return assert.fail(JSON.stringify(parsed.problems));
  const { policy } = parsed;
  assert.deepEqual(
    [ruleFor(policy, 'story-bad-rollout-1')?.quorum, ruleFor(policy, 'story-two-approvers-1')?.quorum],
    [1, 2],
  );
  assert.ok(policy.namespaces.every(({ mode, kinds }) => mode === 'approve' && kinds.length === ACTION_TYPES.length));
  assert.match(policy.note ?? '', /no gate is switched off.*1s.*2s, 4s and 8s/);
  assert.equal(ruleFor(policy, 'default'), undefined);
});
