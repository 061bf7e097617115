import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelMessage, ModelRequest } from '@hephaisto/core/model/message';
import { verifies } from '@hephaisto/test/verifies';
import { inOrder, type Reply, says } from '../../support/model-script.ts';
import { ASK, LOOK, memoryLedger, openBench, WIRES } from './channel-bench.ts';

const GOOD = says({ text: 'It is the rollout.' });

/** What a server may do, and what comes of it: the reason, and how many requests it cost. */
const FAULTS: readonly (readonly [string, readonly Reply[], reason: string | 'answer', requests: number])[] = [
  ['400 is our mistake and never repeated', [{ kind: 'status', status: 400 }], 'invalid', 1],
  ['401 is never repeated', [{ kind: 'status', status: 401 }], 'unauthorized', 1],
  ['403 is never repeated', [{ kind: 'status', status: 403 }], 'forbidden', 1],
  ['404 is never repeated', [{ kind: 'status', status: 404 }], 'not-found', 1],
  ['a prompt that is too long is said to be so', [{ kind: 'status', status: 413 }], 'context-too-long', 1],
  [
    '429 with a time to wait is tried again after it',
    [{ kind: 'status', status: 429, headers: { 'retry-after': '0' } }, GOOD],
    'answer',
    2,
  ],
  ['429 for ever ends after three tries', [{ kind: 'status', status: 429 }], 'rate-limited', 3],
  ['500 once is no failure', [{ kind: 'status', status: 500 }, GOOD], 'answer', 2],
  ['503 for ever ends after three tries', [{ kind: 'status', status: 503 }], 'unavailable', 3],
  [
    'a redirect is not followed',
    [{ kind: 'status', status: 302, headers: { location: 'http://127.0.0.1:9/' } }],
    'invalid',
    1,
  ],
  ['silence before the headers', [{ kind: 'stall', after: 'nothing' }, GOOD], 'answer', 2],
  ['silence after the headers', [{ kind: 'stall', after: 'headers' }, GOOD], 'answer', 2],
  ['silence in the middle', [{ kind: 'stall', after: 'a-piece' }, GOOD], 'answer', 2],
  ['silence for ever', [{ kind: 'stall', after: 'nothing' }], 'stalled-first-byte', 3],
  ['silence in the middle for ever', [{ kind: 'stall', after: 'a-piece' }], 'stalled-idle', 3],
  ['a socket cut before a byte', [{ kind: 'cut', after: 'nothing' }, GOOD], 'answer', 2],
  ['a socket cut in the middle', [{ kind: 'cut', after: 'a-piece' }, GOOD], 'answer', 2],
  ['a socket cut in the middle for ever', [{ kind: 'cut', after: 'a-piece' }], 'cut', 3],
  ['an end that says nothing', [{ kind: 'answer', parts: [{ text: 'hm' }], stop: 'none' }], 'cut', 3],
  [
    'half of a JSON',
    [{ kind: 'raw', text: 'data: {"candidates": [{"content": {"parts": [{"te\n\n' }, GOOD],
    'answer',
    2,
  ],
  ['something that is no stream', [{ kind: 'raw', text: '<html>welcome to the hotel wifi</html>' }, GOOD], 'answer', 2],
  ['an answer beyond all bounds', [{ kind: 'flood', bytes: 10_000_000 }], 'too-large', 1],
  [
    'a slow drip that never pauses for long',
    [{ kind: 'answer', parts: [{ text: 'slow but sure in the end' }], pieces: 24, everyMs: 70 }],
    'answer',
    1,
  ],
];

/** Shorter than the slow drip as a whole, far longer than any pause in it. */
const SOON = { firstByteMs: 800, idleMs: 800 };

for (const wire of WIRES) {
  for (const [sentence, replies, expected, requests] of FAULTS) {
    test(`${wire}: ${sentence}`, async () => {
      verifies('H4-78', 'H4-118');
      const slow = replies.some((reply) => reply.kind === 'stall' || 'everyMs' in reply);
      await using bench = await openBench(wire, inOrder(...replies), slow ? { stall: SOON } : {});
      const outcome = await bench.call();
      assert.equal(outcome.kind === 'answer' ? 'answer' : outcome.reason, expected);
      assert.equal(bench.standIn.requests.length, requests);
      assert.equal(bench.ledger.started.length, requests, 'each request had its row before it left');
      assert.equal(bench.ledger.ended.length, requests, 'each row was ended');
    });
  }

  test(`${wire}: parallel calls, thinking and pieces come together, and go back byte for byte`, async () => {
    verifies('H1-36', 'H1-12');
    await using bench = await openBench(
      wire,
      inOrder(
        {
          kind: 'answer',
          pieces: 5,
          parts: [
            { thinking: 'let me see', signature: 'c2lnbmVk' },
            { text: 'I look twice.' },
            { call: 'look', args: { at: 'the pods' }, signature: 'b3BhcXVl' },
            { call: 'look', args: { at: 'the events' } },
          ],
        },
        GOOD,
      ),
    );
    const first = await bench.call();
    assert.equal(first.kind, 'answer');
    if (first.kind !== 'answer') return;
    assert.equal(first.answer.stop, 'tool-calls');
    const calls = first.answer.blocks.filter((block) => block.kind === 'tool-call');
    assert.deepEqual(
      calls.map(({ args }) => args),
      [{ at: 'the pods' }, { at: 'the events' }],
    );
    assert.notEqual(calls[0]?.id, calls[1]?.id);
    assert.deepEqual(
      first.answer.blocks.filter((block) => block.kind === 'text').map(({ text }) => text),
      ['I look twice.'],
    );
    const results: ModelMessage = {
      role: 'user',
      blocks: calls.map(({ id, name }) => ({
        kind: 'tool-result',
        callId: id,
        name,
        text: `seen by ${id.length}`,
        failed: false,
      })),
    };
    const answered: ModelMessage = { role: 'assistant', blocks: first.answer.blocks };
    await bench.call({ request: { ...ASK, messages: [...ASK.messages, answered, results] } });
    const [one, two] = bench.standIn.requests;
    assert.equal(two?.turns[2]?.results.length, 2);
    if (wire === 'gemini') assert.equal(two?.turns[1]?.calls[0]?.signature, 'b3BhcXVl');
    if (wire === 'gemini') assert.match(two?.raw ?? '', /"thoughtSignature":"c2lnbmVk"/);
    assert.ok(two?.prompt.startsWith(one?.prompt ?? 'nothing'), 'what was sent before stands at the head, unchanged');
  });

  test(`${wire}: tokens are the provider's, cached ones among them`, async () => {
    verifies('H1-34');
    await using bench = await openBench(wire, inOrder(GOOD));
    await bench.call();
    const again = await bench.call();
    assert.ok(again.kind === 'answer' && again.answer.usage.cacheRead > 0);
    assert.ok(again.answer.usage.cacheRead <= again.answer.usage.input);
  });

  test(`${wire}: a server that counts nothing is counted for`, async () => {
    await using bench = await openBench(
      wire,
      inOrder({ kind: 'answer', parts: [{ text: 'free?' }], withoutUsage: true }),
    );
    const outcome = await bench.call();
    assert.ok(outcome.kind === 'answer' && outcome.answer.usage.input > 0 && outcome.answer.usage.output > 0);
  });

  test(`${wire}: a safety block is a refusal, whether of the prompt or of the answer`, async () => {
    verifies('H4-80');
    await using bench = await openBench(
      wire,
      inOrder({ kind: 'block-prompt' }, { kind: 'answer', parts: [], stop: 'safety' }),
    );
    for (let n = 0; n < 2; n += 1) {
      const outcome = await bench.call();
      assert.equal(outcome.kind === 'answer' && outcome.answer.stop, 'refused');
    }
  });

  test(`${wire}: an answer that was cut off is asked for once more, with all the room the model has`, async () => {
    verifies('H1-56');
    await using bench = await openBench(
      wire,
      inOrder({ kind: 'answer', parts: [{ text: 'I was about to' }], stop: 'length' }, GOOD),
    );
    assert.equal((await bench.call()).kind, 'answer');
    assert.deepEqual(
      bench.standIn.requests.map(({ maxOutputTokens }) => maxOutputTokens),
      [1_000, 4_000],
    );
    assert.deepEqual(
      bench.ledger.ended.map(({ outcome }) => outcome),
      ['truncated', 'ok'],
    );
  });

  test(`${wire}: an answer cut off at the model's own maximum is a failure by name, and half of it is never used`, async () => {
    verifies('H1-57');
    await using bench = await openBench(
      wire,
      inOrder({ kind: 'answer', parts: [{ text: 'I was about to' }], stop: 'length' }),
    );
    const outcome = await bench.call();
    assert.equal(outcome.kind === 'failure' && outcome.reason, 'truncated');
    assert.equal(bench.standIn.requests.length, 2);
    const atCeiling = await bench.call({ request: { ...ASK, maxOutputTokens: 4_000 } });
    assert.equal(atCeiling.kind === 'failure' && atCeiling.reason, 'truncated');
    assert.equal(bench.standIn.requests.length, 3);
  });

  test(`${wire}: an abort closes the socket at once and is written down`, async () => {
    await using bench = await openBench(wire, inOrder({ kind: 'stall', after: 'a-piece' }), {
      stall: { firstByteMs: 5_000, idleMs: 5_000 },
    });
    const stop = new AbortController();
    const call = bench.call({ signal: stop.signal });
    while (bench.standIn.requests.length === 0) await sleep(5);
    await sleep(60);
    const begun = performance.now();
    stop.abort(new Error('a person said stop'));
    await assert.rejects(call, /a person said stop/);
    assert.ok(performance.now() - begun < 1_000);
    for (let n = 0; n < 100 && (await bench.standIn.openConnections()) > 0; n += 1) await sleep(20);
    assert.equal(await bench.standIn.openConnections(), 0);
    assert.deepEqual(bench.standIn.hungUp, [0]);
    assert.deepEqual(
      bench.ledger.ended.map(({ outcome }) => outcome),
      ['aborted'],
    );
  });

  test(`${wire}: the deadline ends a call in the middle of its answer`, async () => {
    await using bench = await openBench(
      wire,
      inOrder({ kind: 'answer', parts: [{ text: 'x'.repeat(400) }], pieces: 400, everyMs: 30 }),
    );
    const outcome = await bench.call({ withinMs: 1_000 });
    assert.equal(outcome.kind === 'failure' && outcome.reason, 'deadline');
    assert.equal(bench.standIn.requests.length, 1);
  });

  test(`${wire}: after five failures in a row nothing is sent for a while, then one call, then all`, async () => {
    let broken = true;
    await using bench = await openBench(wire, () => (broken ? { kind: 'status', status: 500 } : GOOD), {
      retry: { tries: 1, firstMs: 1, longestMs: 1 },
      breaker: { failures: 5, openMs: 1_500 },
    });
    for (let n = 0; n < 5; n += 1) await bench.call();
    const refused = await bench.call();
    assert.equal(refused.kind === 'failure' && refused.reason, 'refused-breaker');
    assert.equal(bench.standIn.requests.length, 5);
    broken = false;
    await sleep(1_600);
    assert.equal((await bench.call()).kind, 'answer');
    assert.equal((await bench.call()).kind, 'answer');
  });

  test(`${wire}: a spend that is refused sends nothing`, async () => {
    const ledger = memoryLedger(() => ({
      kind: 'refused',
      reason: 'budget-hour',
      message: 'the hour is over its budget',
    }));
    await using bench = await openBench(wire, inOrder(GOOD), {}, ledger);
    const outcome = await bench.call();
    assert.equal(outcome.kind === 'failure' && outcome.reason, 'refused-budget');
    assert.equal(bench.standIn.requests.length, 0);
  });

  test(`${wire}: a journal that cannot be written ends the call before a byte leaves`, async () => {
    const ledger = memoryLedger(() => {
      throw new Error('the database is away');
    });
    await using bench = await openBench(wire, inOrder(GOOD), {}, ledger);
    await assert.rejects(bench.call(), /the database is away/);
    assert.equal(bench.standIn.requests.length, 0);
  });

  test(`${wire}: what a schema is wanted for carries no tool, and what carries tools no schema`, async () => {
    verifies('H3-17');
    await using bench = await openBench(wire, inOrder(says({ text: '{}' })));
    const planned: ModelRequest = { ...ASK, answer: { kind: 'json', name: 'plan', schema: { type: 'object' } } };
    await bench.call({ request: planned });
    await bench.call({ request: { ...ASK, answer: { kind: 'tools', tools: [LOOK], only: 'look' } } });
    const [json, tools] = bench.standIn.requests;
    assert.deepEqual([json?.hasSchema, json?.tools], [true, []]);
    assert.deepEqual([tools?.hasSchema, tools?.tools, tools?.only], [false, ['look'], 'look']);
  });

  test(`${wire}: nothing of the environment is used, and the key only where it belongs`, async () => {
    const names = [
      'GEMINI_API_KEY',
      'GOOGLE_API_KEY',
      'OPENAI_API_KEY',
      'OPENAI_BASE_URL',
      'GOOGLE_GEMINI_BASE_URL',
      'OPENAI_ORG_ID',
      'HTTPS_PROXY',
      'HTTP_PROXY',
    ];
    for (const name of names) process.env[name] = 'http://127.0.0.1:9/environment';
    try {
      await using bench = await openBench(wire, inOrder(GOOD));
      assert.equal((await bench.call()).kind, 'answer');
      const [seen] = bench.standIn.requests;
      assert.ok(!JSON.stringify(seen?.headers).includes('environment'));
      assert.ok(!seen?.raw.includes('scripted-key'));
      assert.ok(JSON.stringify(seen?.headers).includes('scripted-key'));
    } finally {
      for (const name of names) delete process.env[name];
    }
  });
}
