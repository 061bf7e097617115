import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  type Database,
  isUniqueViolation,
  type Sql,
  StatementOutsideTransaction,
  StoreRejected,
  StoreUnavailable,
} from '@hephaisto/core/ports/database';
import { DATABASES, type TestDatabase } from '@hephaisto/test/database';
import { openPostgres } from './postgres.ts';

for (const { name, open } of DATABASES) {
  describe(`the database port (${name})`, () => {
    let db: TestDatabase;
    before(async () => {
      db = await open({ empty: true });
      await db.execute('CREATE TABLE t (id int PRIMARY KEY, v text, j jsonb, CONSTRAINT t_small CHECK (id < 1000))');
    });
    after(() => db.close());

    test('one that asks without pause leaves everybody else their turn', async () => {
      let turned = false;
      setTimeout(() => {
        turned = true;
      }, 5);
      const end = performance.now() + 5_000;
      while (!turned && performance.now() < end) await db.query('SELECT 1');
      assert.ok(turned, 'expected a timer to fire while the database was asked, found that none could');
    });

    test('values come back as the port promises', async () => {
      const at = new Date('2026-01-02T03:04:05.678Z');
      const [row] = await db.query(
        `SELECT $1::bytea AS bytes, $2::jsonb AS json, $3::text[] AS texts, $4::timestamptz AS at, $5::boolean AS flag, $6::text AS nothing,
           $7::jsonb AS list, 7::bigint AS small, 9007199254740993::bigint AS large, 0.10::numeric AS exact, ARRAY[1, 2]::bigint[] AS longs,
           ARRAY[$4::timestamptz] AS times, '2026-01-02'::date AS day, 'ab'::char(4) AS padded`,
        [new Uint8Array([0, 255]), { a: [1] }, ['x', 'a,"b\\', ''], at, false, undefined, JSON.stringify(['p'])],
      );
      assert.deepEqual(
        { ...row },
        {
          bytes: new Uint8Array([0, 255]),
          json: { a: [1] },
          texts: ['x', 'a,"b\\', ''],
          at,
          flag: false,
          nothing: null,
          list: ['p'],
          small: 7,
          large: '9007199254740993',
          exact: '0.10',
          longs: [1, 2],
          times: [at],
          day: '2026-01-02',
          padded: 'ab  ',
        },
      );
    });

    test('execute says how many rows it touched', async () => {
      assert.equal(await db.execute('INSERT INTO t (id) SELECT generate_series(1, $1::int)', [3]), 3);
      assert.equal(await db.execute('UPDATE t SET v = $1 WHERE id < $2', ['x', 3]), 2);
      assert.equal(await db.execute('DELETE FROM t'), 3);
    });

    test('a refusal names its SQLSTATE and constraint and is not to be tried again', async () => {
      await assert.rejects(db.execute('INSERT INTO t (id) VALUES ($1)', [1000]), (error) => {
        assert.ok(error instanceof StoreRejected);
        assert.deepEqual(
          [error.sqlstate, error.constraint, error.table, error.retryable],
          ['23514', 't_small', 't', false],
        );
        return true;
      });
      await db.execute('INSERT INTO t (id) VALUES (1)');
      await assert.rejects(db.execute('INSERT INTO t (id) VALUES (1)'), (error) => isUniqueViolation(error, 't_pkey'));
      await db.execute('DELETE FROM t');
    });

    test('a transaction that fails leaves nothing and passes the work’s own error on', async () => {
      const own = new Error('own');
      const failing = db.transaction(async (tx) => {
        await tx.execute('INSERT INTO t (id) VALUES (1)');
        throw own;
      });
      await assert.rejects(failing, (error) => error === own);
      assert.deepEqual(await db.query('SELECT id FROM t'), []);
    });

    test('a swallowed failure does not commit as if nothing had been', async () => {
      const swallowing = db.transaction(async (tx) => {
        await tx.execute('INSERT INTO t (id) VALUES (1)');
        await tx.execute('SELECT 1 / 0').catch(() => undefined);
      });
      await assert.rejects(swallowing, (error) => error instanceof StoreRejected && error.sqlstate === '25P02');
      assert.deepEqual(await db.query('SELECT id FROM t'), []);
    });

    const INSIDE: Readonly<Record<string, (inner: Database) => Promise<unknown>>> = {
      'a query': (inner) => inner.query('SELECT 1'),
      'an execute': (inner) => inner.execute('SELECT 1'),
      'a transaction': (inner) => inner.transaction(async () => undefined),
      'a listen': (inner) => inner.listen('c', () => undefined),
    };
    for (const [what, call] of Object.entries(INSIDE)) {
      test(`${what} on the database inside its open transaction is told at once`, async () => {
        await assert.rejects(
          db.transaction(async (tx) => {
            await tx.query('SELECT 1');
            await new Promise((resolve) => setImmediate(resolve));
            await call(db);
          }),
          StatementOutsideTransaction,
        );
        assert.deepEqual(await db.query('SELECT 1 AS one'), [{ one: 1 }]);
      });
    }

    test('what a transaction started may use the database once it has ended', async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      let late: Promise<unknown> = Promise.resolve();
      await db.transaction(async () => {
        late = promise.then(() => db.query('SELECT 1 AS one'));
      });
      resolve();
      assert.deepEqual(await late, [{ one: 1 }]);
    });

    test('the transaction’s own handle is dead after its end', async () => {
      const kept: Sql[] = [];
      await db.transaction(async (tx) => void kept.push(tx));
      await assert.rejects(kept[0]?.query('SELECT 1') ?? Promise.resolve(), StatementOutsideTransaction);
    });

    test('contention runs the work again, at most three times', async () => {
      let runs = 0;
      const contended = (failures: number) => {
        runs = 0;
        return db.transaction(async (tx) => {
          runs += 1;
          if (runs <= failures) await tx.execute(`DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$`);
          return runs;
        });
      };
      assert.equal(await contended(3), 4);
      await assert.rejects(
        contended(4),
        (error) => error instanceof StoreUnavailable && error.sqlstate === '40001' && error.retryable,
      );
      assert.equal(runs, 4);
    });

    test('an effect after the commit happens once, however often contention runs the work, and never after a rollback', async () => {
      const effects: string[] = [];
      let runs = 0;
      await db.transaction(async (tx) => {
        runs += 1;
        tx.afterCommit?.(() => effects.push(`run ${runs}`));
        if (runs <= 2) await tx.execute(`DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$`);
        assert.deepEqual(effects, []);
      });
      const failing = db.transaction(async (tx) => {
        tx.afterCommit?.(() => effects.push('rolled back'));
        throw new Error('own');
      });
      await assert.rejects(failing, /own/);
      assert.deepEqual(effects, ['run 3']);
    });

    test('statements of one transaction need not wait for each other', async () => {
      const sums = await db.transaction((tx) =>
        Promise.all(
          [1, 2, 3].map(async (n) => (await tx.query<{ sum: number }>('SELECT $1::int + 1 AS sum', [n]))[0]?.sum),
        ),
      );
      assert.deepEqual(sums, [2, 3, 4]);
    });

    test('transactions of many callers do not mix', async () => {
      await db.execute('INSERT INTO t (id, v) VALUES (1, 0)');
      await Promise.all(
        Array.from({ length: 20 }, () =>
          db.transaction(async (tx) => {
            const [row] = await tx.query<{ v: string }>('SELECT v FROM t WHERE id = 1 FOR UPDATE');
            await tx.execute('UPDATE t SET v = $1 WHERE id = 1', [Number(row?.v) + 1]);
          }),
        ),
      );
      assert.deepEqual(await db.query('SELECT v FROM t'), [{ v: '20' }]);
      await db.execute('DELETE FROM t');
    });

    test('a notification arrives after the commit, and none of a transaction that was rolled back', async () => {
      const heard: string[] = [];
      const { promise, resolve } = Promise.withResolvers<void>();
      const stop = await db.listen('news', (payload) => {
        heard.push(payload);
        if (payload === 'last') resolve();
      });
      await db.transaction(async (tx) => void (await tx.query(`SELECT pg_notify('news', 'first')`)));
      await db
        .transaction(async (tx) => {
          await tx.query(`SELECT pg_notify('news', 'undone')`);
          throw new Error('undo');
        })
        .catch(() => undefined);
      await db.query(`SELECT pg_notify('news', 'last')`);
      await promise;
      await stop();
      assert.deepEqual(heard, ['first', 'last']);
    });

    test('closing twice is closing once, and what comes after is told', async () => {
      const other = await open({ empty: true });
      await Promise.all([other.close(), other.close()]);
      await assert.rejects(
        other.query('SELECT 1'),
        (error) => error instanceof StoreUnavailable && error.outcome !== 'unknown',
      );
    });
  });

  if (name === 'postgres') {
    describe('the database port on a server', () => {
      test('a deadlock between two transactions is undone for one of them and both end', async () => {
        await using db = await open({ empty: true });
        await db.execute('CREATE TABLE d (id int, n int); INSERT INTO d VALUES (1, 0), (2, 0)');
        const cross = (first: number, second: number): Promise<void> =>
          db.transaction(async (tx) => {
            await tx.execute('UPDATE d SET n = n + 1 WHERE id = $1', [first]);
            await new Promise((resolve) => setTimeout(resolve, 50));
            await tx.execute('UPDATE d SET n = n + 1 WHERE id = $1', [second]);
          });
        await Promise.all([cross(1, 2), cross(2, 1)]);
        assert.deepEqual(await db.query('SELECT n FROM d'), [{ n: 2 }, { n: 2 }]);
      });

      test('a connection killed in a transaction has certainly changed nothing, and the pool recovers', async () => {
        await using db = await open({ empty: true });
        await db.execute('CREATE TABLE k (id int)');
        const killed = db.transaction(async (tx) => {
          await tx.execute('INSERT INTO k VALUES (1)');
          const [self] = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
          await db
            .connect()
            .query('SELECT pg_terminate_backend($1)', [self?.pid])
            .catch(() => undefined);
          await tx.execute('INSERT INTO k VALUES (2)');
        });
        await assert.rejects(killed, (error) => error instanceof StoreUnavailable && error.outcome === 'none');
        assert.deepEqual(await db.query('SELECT * FROM k'), []);
      });

      test('a listener survives the loss of its connection and is told that it may have missed something', async () => {
        await using db = await open({ empty: true });
        const heard: string[] = [];
        const { promise, resolve } = Promise.withResolvers<void>();
        const stop = await db.connect({ applicationName: 'listening' }).listen('news', (payload) => {
          heard.push(payload);
          resolve();
        });
        await db.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'listening' AND datname = current_database()`,
        );
        await promise;
        await stop();
        assert.deepEqual(heard, ['']);
      });

      test('a plan that another process’s migration made stale is made anew', async () => {
        await using db = await open({ empty: true });
        await db.execute('CREATE TABLE p (id int)');
        const read = (): Promise<readonly unknown[]> => db.query('SELECT * FROM p WHERE id > $1', [0]);
        for (let use = 0; use < 12; use += 1) await read();
        await db.execute(`ALTER TABLE p ADD COLUMN extra text NOT NULL DEFAULT 'x'; INSERT INTO p (id) VALUES (1)`);
        assert.deepEqual(await read(), [{ id: 1, extra: 'x' }]);
      });

      test('a statement beyond its time is ended by the server', async () => {
        await using db = await open({ empty: true });
        const slow = db.transaction((tx) => tx.query('SELECT pg_sleep(5)'), { statementTimeoutMs: 50 });
        await assert.rejects(slow, (error) => error instanceof StoreUnavailable && error.sqlstate === '57014');
      });
    });
  }
}

describe('a server that is not there', () => {
  test('is unavailable, with nothing done', async () => {
    const db = openPostgres({ url: 'postgres://nobody@127.0.0.1:1/none' });
    try {
      await assert.rejects(
        db.query('SELECT 1'),
        (error) => error instanceof StoreUnavailable && error.outcome === 'none' && error.retryable,
      );
    } finally {
      await db.close();
    }
  });
});
