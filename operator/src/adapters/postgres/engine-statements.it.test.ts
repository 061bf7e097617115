import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isUniqueViolation, StoreRejected } from '@hephaisto/core/ports/database';
import { DATABASES, type TestDatabase } from '@hephaisto/test/database';

for (const { name, open } of DATABASES) {
  describe(`statements that come again and again (${name})`, () => {
    let db: TestDatabase;
    before(async () => {
      db = await open({ empty: true });
      await db.execute('CREATE TABLE t (id int PRIMARY KEY, v text)');
    });
    after(() => db.close());

    test('answer the same the thousandth time as the first, each with its own values', async () => {
      for (let n = 0; n < 1_100; n += 1)
        assert.deepEqual(
          await db.query('SELECT $1::int + 1 AS next, $2::text AS said', [n, n % 2 === 0 ? null : 'x']),
          [{ next: n + 1, said: n % 2 === 0 ? null : 'x' }],
        );
    });

    test('say how many rows they touched, found or not', async () => {
      for (let n = 0; n < 10; n += 1) {
        assert.equal(await db.execute('INSERT INTO t (id) VALUES ($1), ($2)', [2 * n, 2 * n + 1]), 2);
        assert.equal(await db.execute('DELETE FROM t WHERE id = $1', [-1]), 0);
      }
    });

    test('may fail at any time, at first and when they are prepared, and go on', async () => {
      await db.execute('INSERT INTO t (id) VALUES (500)');
      const insert = (id: unknown): Promise<number> => db.execute('INSERT INTO t (id, v) VALUES ($1, 1)', [id]);
      for (let n = 0; n < 12; n += 1) {
        await assert.rejects(insert(500), (error) => isUniqueViolation(error, 't_pkey'));
        await assert.rejects(
          insert('no number'),
          (error) => error instanceof StoreRejected && error.sqlstate === '22P02',
        );
        const failed = db.transaction(async (tx) => {
          await tx.query('SELECT 1 / 0').catch(() => undefined);
          await tx.execute('INSERT INTO t (id, v) VALUES ($1, 1)', [600]);
        });
        await assert.rejects(failed, (error) => error instanceof StoreRejected && error.sqlstate === '25P02');
      }
      assert.equal(await insert(501), 1);
      assert.deepEqual(await db.query('SELECT id FROM t WHERE id >= 500 ORDER BY id'), [{ id: 500 }, { id: 501 }]);
    });

    test('see the columns that the table has now', async () => {
      await db.execute('CREATE TABLE p (id int)');
      await db.execute('INSERT INTO p VALUES (1)');
      const read = (): Promise<readonly unknown[]> => db.query('SELECT * FROM p WHERE id > $1', [0]);
      for (let use = 0; use < 12; use += 1) assert.deepEqual(await read(), [{ id: 1 }]);
      await db.execute(`ALTER TABLE p ADD COLUMN extra text NOT NULL DEFAULT 'x'`);
      assert.deepEqual(await read(), [{ id: 1, extra: 'x' }]);
      await db.execute(`ALTER TABLE p ADD COLUMN more int NOT NULL DEFAULT 2`);
      const inside = await db.transaction((tx) => tx.query('SELECT * FROM p WHERE id > $1', [0]));
      assert.deepEqual(inside, [{ id: 1, extra: 'x', more: 2 }]);
    });

    test('may be of more kinds than are kept prepared', async () => {
      for (let round = 0; round < 6; round += 1)
        for (let kind = 0; kind < 220; kind += 1)
          assert.deepEqual(await db.query(`SELECT ${kind} + $1::int AS sum`, [round]), [{ sum: kind + round }]);
    });
  });
}
