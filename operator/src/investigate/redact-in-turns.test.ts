import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRedactor } from '@hephaisto/core/evidence/redact';
import { redactInTurns } from './redact-in-turns.ts';

const SECRET = 'zK9canaryQ7w2Lx8';
const MEBIBYTE = 1_048_576;

async function turnsOf(value: unknown): Promise<number> {
  let turns = 0;
  const redacted = await redactInTurns(value, () => {
    turns += 1;
    return Promise.resolve();
  });
  assert.deepEqual(redacted, createRedactor().deep(value), 'turns change nothing of the result');
  return turns;
}

describe('redaction of a large answer gives the event loop turns', () => {
  for (const unit of [
    `token=${SECRET} `,
    `{"auth":"${SECRET}"}\n`,
    'a://',
    'password for a: ',
    '-----BEGIN PRIVATE KEY-----\n',
  ])
    it(`of nothing but ${JSON.stringify(unit)}`, async () => {
      const text = unit.repeat(MEBIBYTE / unit.length);
      assert.ok((await turnsOf(text)) >= MEBIBYTE / 65_536, 'a step reads at most 64 KiB of a text that has matches');
    });

  it('of many small objects', async () => {
    const pods = Array.from({ length: 1_000 }, (_, n) => ({ name: `api-${n}`, env: { DB_PASSWORD: SECRET } }));
    assert.ok((await turnsOf(pods)) >= 2_000);
  });

  it('of two texts at the same time, each of which keeps its own place', async () => {
    const texts = ['token', 'password'].map((name) => `${name}=${SECRET}\n`.repeat(5_000));
    const redacted = await Promise.all(
      texts.map((text) => redactInTurns(text, () => new Promise((resolve) => setImmediate(resolve)))),
    );
    assert.deepEqual(
      redacted,
      texts.map((text) => createRedactor().text(text)),
    );
  });
});
