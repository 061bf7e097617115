import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createReceivers, SENDS_AT_ONCE, SENDS_PER_RECEIVER } from './receivers.ts';

describe('who may get a message now', () => {
  it('one receiver never takes the places of all others', () => {
    const receivers = createReceivers(() => 0);
    for (let n = 0; n < SENDS_PER_RECEIVER; n += 1) receivers.begin('webhook/slow');
    assert.deepEqual(receivers.blocked(), ['webhook/slow']);
    receivers.end('webhook/slow', true);
    assert.deepEqual(receivers.blocked(), []);
  });

  it('nobody gets one while all places are taken', () => {
    const receivers = createReceivers(() => 0);
    for (let n = 0; n < SENDS_AT_ONCE; n += 1) receivers.begin(`webhook/${n}`);
    assert.equal(receivers.blocked(), undefined);
  });

  it('a receiver that keeps failing rests for a growing time, then gets one message at a time, until it answers', () => {
    let nowMs = 0;
    const receivers = createReceivers(() => nowMs);
    const fail = () => {
      receivers.begin('webhook/dead');
      return receivers.end('webhook/dead', false);
    };
    assert.deepEqual([fail(), fail(), fail()], [0, 0, 1_000]);
    assert.deepEqual(receivers.blocked(), ['webhook/dead']);
    nowMs = 1_000;
    assert.deepEqual(receivers.blocked(), []);
    receivers.begin('webhook/dead');
    assert.deepEqual(receivers.blocked(), ['webhook/dead']);
    assert.equal(receivers.end('webhook/dead', false), 2_000);
    for (let n = 0; n < 20; n += 1) fail();
    assert.equal(fail(), 30_000);
    nowMs += 30_000;
    receivers.begin('webhook/dead');
    assert.equal(receivers.end('webhook/dead', true), 0);
    assert.deepEqual(receivers.blocked(), []);
  });
});
