import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ruleFor } from '@hephaisto/policy/policy-file';
import { readPolicy } from '../act/policy-source.ts';
import { demoConfig, demoPolicy } from './demo-config.ts';
import { STORIES } from './stories/story-book.ts';

describe('the policy of the demo', () => {
  it('loads like that of an installation and gives each story its own rule', () => {
    const reading = readPolicy(demoPolicy(10));
    if (reading.kind === 'refused') return assert.fail(reading.message);
    for (const { id, approvers } of Object.values(STORIES)) {
      const rule = ruleFor(reading.loaded.policy, `${id}-91doj3`);
      assert.deepEqual([rule?.match, rule?.quorum], [`${id}-*`, approvers ?? 1], id);
    }
  });
});

describe('the configuration of the demo', () => {
  it('is accepted at every speed that the command line takes, its policy too', () => {
    const settings = { port: 1, folder: 'memory', alertmanagerUrl: 'http://127.0.0.1:1', webhookToken: 'a'.repeat(32) };
    for (const speed of [1, 10, 51, 60, 100]) {
      assert.doesNotThrow(() => demoConfig({ ...settings, speed }), `speed ${speed}`);
      assert.equal(readPolicy(demoPolicy(speed)).kind, 'loaded', `speed ${speed}`);
    }
  });
});
