import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, StoreUnavailable } from '@hephaisto/core/ports/database';
import { type EmbeddedDatabase, openPglite } from './pglite.ts';

const ENDLESS = 'DO $$ BEGIN LOOP END LOOP; END $$';

/** Sends a statement that never ends, and gives its error once the deadline has passed. */
async function getStuck(db: Database): Promise<unknown> {
  return db
    .transaction(
      async (tx) => {
        await tx.execute(`INSERT INTO kept VALUES ('open')`);
        await tx.execute(ENDLESS);
      },
      { statementTimeoutMs: 2_000 },
    )
    .then(
      () => assert.fail('expected an endless statement to be given up'),
      (error: unknown) => error,
    );
}

/** As every caller does: a database that is away is asked again. */
async function onceItAnswers(db: Database): Promise<readonly unknown[]> {
  for (;;) {
    try {
      return await db.query('SELECT v FROM kept ORDER BY v');
    } catch (error: unknown) {
      if (!(error instanceof StoreUnavailable)) throw error;
      await sleep(20);
    }
  }
}

describe('the embedded engine in its own thread', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hephaisto-engine-'));
  const trouble: string[] = [];
  let db: EmbeddedDatabase;
  before(async () => {
    db = await openPglite({ folder, onTrouble: (message) => trouble.push(message) });
    await db.execute('CREATE TABLE kept (v text)');
    await db.execute(`INSERT INTO kept VALUES ('committed')`);
  });
  after(async () => {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('the loop turns while a long statement runs', async () => {
    let turns = 0;
    const turn = setInterval(() => {
      turns += 1;
    }, 1);
    await db.query('SELECT count(*) FROM generate_series(1, 2000000) a WHERE a % 7 = 3');
    clearInterval(turn);
    assert.ok(turns > 3, `expected timers to fire during the statement, found ${turns} turns`);
  });

  test('a large answer is read in slices, between which the loop turns', async () => {
    let turns = 0;
    const turn = setInterval(() => {
      turns += 1;
    }, 1);
    const rows = await db.query(
      `SELECT a, jsonb_build_object('n', a, 'pad', repeat('x', 100)) AS j FROM generate_series(1, 60000) a`,
    );
    clearInterval(turn);
    assert.equal(rows.length, 60_000);
    assert.deepEqual(rows.at(-1), { a: 60_000, j: { n: 60_000, pad: 'x'.repeat(100) } });
    assert.ok(turns > 3);
  });

  test('a statement beyond its deadline restarts the engine; what was committed is there, the open transaction is not', async () => {
    const error = await getStuck(db);
    assert.ok(error instanceof StoreUnavailable);
    assert.equal(error.outcome, 'none');
    assert.match(error.message, /a statement took longer than 2000 ms/);
    assert.match(db.engine?.().down ?? '', /a statement took longer/);
    assert.deepEqual(await onceItAnswers(db), [{ v: 'committed' }]);
    const condition = db.engine?.();
    assert.deepEqual([condition?.down, condition?.restarts], [undefined, 1]);
    assert.match(condition?.recentRestart?.reason ?? '', /a statement took longer/);
    assert.match(trouble.join('\n'), /restarting the embedded database.*\n.*runs again/s);
  });

  test('a listener is told once after a restart that it may have missed something, and hears what comes after', async () => {
    const heard: string[] = [];
    const last = Promise.withResolvers<void>();
    const stop = await db.listen('news', (payload) => {
      heard.push(payload);
      if (payload === 'after') last.resolve();
    });
    await getStuck(db);
    await onceItAnswers(db);
    await db.query(`SELECT pg_notify('news', 'after')`);
    await last.promise;
    await stop();
    assert.deepEqual(heard, ['', 'after']);
  });

  test('statements that were prepared before a restart are prepared anew', async () => {
    const read = (n: number) => db.query('SELECT $1::int + 1 AS next', [n]);
    for (let n = 0; n < 10; n += 1) await read(n);
    await getStuck(db);
    await onceItAnswers(db);
    for (let n = 0; n < 10; n += 1) assert.deepEqual(await read(n), [{ next: n + 1 }]);
  });

  test('it can be closed while it is being restarted', async () => {
    await getStuck(db);
    await db.close();
    await assert.rejects(db.query('SELECT 1'), StoreUnavailable);
    db = await openPglite({ folder });
    assert.deepEqual(await onceItAnswers(db), [{ v: 'committed' }]);
  });
});

test('a database in memory ends with its engine and says so', async () => {
  const db = await openPglite({ folder: 'memory' });
  await assert.rejects(
    db.transaction((tx) => tx.execute(ENDLESS), { statementTimeoutMs: 1_000 }),
    StoreUnavailable,
  );
  await assert.rejects(db.query('SELECT 1'), /kept in memory only/);
  assert.match(db.engine?.().down ?? '', /kept in memory only/);
  await db.close();
});

test('a transaction that waits for something else is rolled back, and others go on', async () => {
  const db = await openPglite({ folder: 'memory', idleTimeoutMs: 200 });
  await db.execute('CREATE TABLE kept (v text)');
  const waiting = db.transaction(async (tx) => {
    await tx.execute(`INSERT INTO kept VALUES ('waits')`);
    await new Promise(() => undefined);
  });
  const error = await waiting.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof StoreUnavailable && error.outcome === 'none');
  assert.deepEqual(await db.query('SELECT v FROM kept'), []);
  await db.close();
});
