import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '@hephaisto/core/ports/database';
import { wakeIngest } from './wake-ingest.ts';

/** A database that counts what is sent to it, and pauses that end when the test says so. */
function world() {
  let sent = 0;
  let pauses: (() => void)[] = [];
  const db = {
    query: async () => {
      sent += 1;
      return [];
    },
  } as unknown as Database;
  const timers = {
    sleep: () => new Promise<void>((resolve) => pauses.push(resolve)),
    after: () => () => undefined,
  };
  return {
    wake: () => wakeIngest(db, timers),
    sent: () => sent,
    async rest() {
      await new Promise((resolve) => setImmediate(resolve));
      const ending = pauses;
      pauses = [];
      for (const end of ending) end();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('the first body wakes the stage at once, and one nudge stands for all that come right behind it', async () => {
  const { wake, sent, rest } = world();
  wake();
  assert.equal(sent(), 1);
  for (let n = 0; n < 100; n += 1) wake();
  assert.equal(sent(), 1);
  await rest();
  assert.equal(sent(), 2);
  await rest();
  assert.equal(sent(), 2);
  wake();
  assert.equal(sent(), 3);
});

test('a nudge that fails keeps no later one back', async () => {
  const { rest } = world();
  let tried = 0;
  const away = {
    query: async () => {
      tried += 1;
      throw new Error('away');
    },
  } as unknown as Database;
  const timers = { sleep: async () => undefined, after: () => () => undefined };
  wakeIngest(away, timers);
  await rest();
  wakeIngest(away, timers);
  assert.equal(tried, 2);
});
