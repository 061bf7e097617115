import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Database, StoreRejected, StoreUnavailable } from '@hephaisto/core/ports/database';
import { NO_FAULTS } from '@hephaisto/core/ports/fault-points';
import { DATABASES, type TestDatabase } from '@hephaisto/test/database';
import { type IntakeRow, storeBody } from './intake-writer.ts';

function row(n: number, overrides: Partial<IntakeRow> = {}): IntakeRow {
  return {
    sender: 'am',
    body: `{"n": ${n}, "odd": "\\"{,}\\\\ ü"}`,
    sha256: 'a'.repeat(64),
    alerts: n,
    truncated: 0,
    groupKey: undefined,
    receiver: 'NULL',
    traceparent: undefined,
    ...overrides,
  };
}

for (const { name, open } of DATABASES) {
  describe(`bodies that come at once (${name})`, () => {
    let db: TestDatabase;
    let statements = 0;
    let counted: Database;
    before(async () => {
      db = await open();
      counted = {
        ...db,
        kind: db.kind,
        query: (text, values) => {
          statements += 1;
          return db.query(text, values);
        },
      };
    });
    after(() => db.close());

    test('share statements, and each hears the id under which it stands as it came', async () => {
      statements = 0;
      const rows = Array.from({ length: 250 }, (_, n) => row(n));
      const ids = await Promise.all(rows.map((each) => storeBody({ db: counted, faults: NO_FAULTS }, each)));
      assert.ok(statements <= 6, `found ${statements}`);
      const stored = await db.query<{ id: number; body: string; alerts: number; receiver: string; group_key: null }>(
        'SELECT id, body, alerts, receiver, group_key FROM intake WHERE id = ANY($1::bigint[]) ORDER BY id',
        [ids],
      );
      assert.deepEqual(
        stored.map(({ id, body, alerts, receiver, group_key }) => [id, body, alerts, receiver, group_key]),
        rows.map(({ body, alerts }, n) => [ids[n], body, alerts, 'NULL', null]),
      );
    });

    test('one that the database refuses is refused alone', async () => {
      const outcomes = await Promise.allSettled(
        [1, 2, 3].map((n) =>
          storeBody({ db: counted, faults: NO_FAULTS }, row(n, n === 2 ? { traceparent: 'no trace' } : {})),
        ),
      );
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
      assert.ok(outcomes[1]?.status === 'rejected' && outcomes[1].reason instanceof StoreRejected);
    });

    test('a database that is away is told to all, and nothing is sent a second time', async () => {
      let asked = 0;
      const away: Database = {
        ...db,
        kind: db.kind,
        query: () => {
          asked += 1;
          return Promise.reject(new StoreUnavailable('gone', { outcome: 'unknown' }));
        },
      };
      const outcomes = await Promise.allSettled(
        [1, 2, 3].map((n) => storeBody({ db: away, faults: NO_FAULTS }, row(n))),
      );
      assert.ok(outcomes.every((each) => each.status === 'rejected' && each.reason instanceof StoreUnavailable));
      assert.equal(asked, 1);
    });

    test('more than one statement should hold are divided', async () => {
      statements = 0;
      const long = 'x'.repeat(3 * 1024 * 1024);
      await Promise.all([1, 2, 3].map((n) => storeBody({ db: counted, faults: NO_FAULTS }, row(n, { body: long }))));
      assert.equal(statements, 3);
    });
  });
}
