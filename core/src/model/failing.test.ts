import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifies } from '@hephaisto/test/verifies';
import fc from 'fast-check';
import { afterCall, askBreaker, CLOSED } from './breaker.ts';
import { FAILURE_REASONS, failureOfHttp, judgeRetry } from './failure.ts';
import { NO_TOKENS, normaliseAnswer } from './message.ts';

const LIMITS = { tries: 3, firstMs: 1_000, longestMs: 30_000, leftMs: 60_000 };

test('the time to wait is read from headers and from the provider’s own words', () => {
  assert.equal(failureOfHttp({ status: 429, headers: { 'retry-after': '7' }, body: '' }).retryAfterMs, 7_000);
  assert.equal(failureOfHttp({ status: 429, headers: { 'retry-after-ms': '250' }, body: '' }).retryAfterMs, 250);
  const info = '{"error":{"details":[{"@type":"RetryInfo","retryDelay":"17.5s"}]}}';
  assert.equal(failureOfHttp({ status: 429, headers: {}, body: info }).retryAfterMs, 17_500);
  assert.equal(failureOfHttp({ status: 429, headers: { 'retry-after': 'soon' }, body: '' }).retryAfterMs, undefined);
});

test('a refusal for length is told from any other mistake of ours', () => {
  const long = '{"error":{"message":"This model\'s maximum context length is 8192 tokens"}}';
  assert.equal(failureOfHttp({ status: 400, headers: {}, body: long }).reason, 'context-too-long');
  assert.equal(failureOfHttp({ status: 400, headers: {}, body: '{"error":{"message":"bad"}}' }).reason, 'invalid');
});

test('waits double, honour what the server asks, and are not begun when they would pass the deadline', () => {
  const failure = { kind: 'failure', reason: 'unavailable', message: 'away' } as const;
  const waits = [1, 2].map((tried) => judgeRetry(failure, tried, LIMITS, 0));
  assert.deepEqual(
    waits.map((verdict) => verdict.kind === 'again' && verdict.afterMs),
    [1_000, 2_000],
  );
  assert.equal(judgeRetry(failure, 3, LIMITS, 0).reason, 'tries-used');
  const asked = judgeRetry({ ...failure, retryAfterMs: 9_000 }, 1, LIMITS, 0);
  assert.equal(asked.kind === 'again' && asked.afterMs, 9_000);
  assert.equal(judgeRetry({ ...failure, retryAfterMs: 90_000 }, 1, LIMITS, 0).reason, 'no-time-left');
  assert.equal(judgeRetry({ ...failure, reason: 'unauthorized' }, 1, LIMITS, 0).reason, 'not-transient');
});

test('an open breaker lets one call through after its rest, and only one', () => {
  const limits = { failures: 2, openMs: 1_000 };
  let state = afterCall(CLOSED, 'server-error', 0, limits);
  assert.equal(askBreaker(state, 0).kind, 'pass');
  state = afterCall(state, 'stalled-idle', 0, limits);
  assert.equal(askBreaker(state, 999).kind, 'refuse');
  const probe = askBreaker(state, 1_000);
  assert.ok(probe.kind === 'pass' && probe.reason === 'probe');
  assert.equal(askBreaker(probe.state, 1_001).kind, 'refuse');
  assert.equal(askBreaker(afterCall(probe.state, 'cut', 1_002, limits), 1_500).kind, 'refuse');
  assert.equal(askBreaker(afterCall(probe.state, 'answered', 1_002, limits), 1_500).kind, 'pass');
  // A probe that was stopped by a person says nothing, and the next may try.
  assert.equal(askBreaker(afterCall(probe.state, 'aborted', 1_002, limits), 1_500).kind, 'pass');
});

test('our own mistakes never open the breaker', () => {
  const limits = { failures: 1, openMs: 1_000 };
  for (const reason of ['invalid', 'unauthorized', 'refused-budget', 'truncated', 'deadline'] as const)
    assert.equal(afterCall(CLOSED, reason, 0, limits).openUntil, undefined);
  assert.ok(FAILURE_REASONS.some((reason) => afterCall(CLOSED, reason, 0, limits).openUntil !== undefined));
});

test('whatever ids a provider sends, each call has one of its own that every wire takes, the same each time', () => {
  verifies('H4-84');
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.constant('same'), fc.string({ minLength: 65 }))), (ids) => {
      const blocks = ids.map((id) => ({ kind: 'tool-call', id, name: 'look', raw: '{}', args: {} }) as const);
      const answer = { blocks, stop: 'tool-calls', stopWord: 'x', usage: NO_TOKENS } as const;
      const made = normaliseAnswer(answer, 'p1').blocks.map((block) => (block.kind === 'tool-call' ? block.id : ''));
      assert.equal(new Set(made).size, ids.length);
      assert.ok(made.every((id) => /^[\w-]{1,64}$/.test(id)));
      assert.deepEqual(
        made,
        normaliseAnswer(answer, 'p1').blocks.map((block) => (block.kind === 'tool-call' ? block.id : '')),
      );
    }),
  );
});
