import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { StoreRejected } from '@hephaisto/core/ports/database';
import { DATABASES, type TestDatabase } from '@hephaisto/test/database';
import { LONE_VOTE, REFUSED, type Refusal } from './invariants.cases.ts';
import { attempt, event, move, plant, ROW, runAll, vote } from './invariants.fixture.ts';

const APPEND_ONLY = ['incident_events', 'audit_log', 'approvals'] as const;
function appendOnlyRefusals(): Readonly<Record<string, Refusal>> {
  const entries = APPEND_ONLY.flatMap((table): [string, Refusal][] => {
    const rows = table === 'approvals' ? [LONE_VOTE] : [];
    return [
      [
        `${table}: a row is never changed`,
        { statements: [...rows, `UPDATE ${table} SET actor = 'bob'`], by: 't_append' },
      ],
      [`${table}: a row is never deleted`, { statements: [...rows, `DELETE FROM ${table}`], by: 't_append' }],
      [`${table}: the table is never emptied`, { statements: [`TRUNCATE ${table} CASCADE`], by: 't_trunc' }],
    ];
  });
  return Object.fromEntries(entries);
}

for (const { name, open } of DATABASES) {
  describe(`what the database refuses by itself (${name})`, () => {
    let db: TestDatabase;
    before(async () => {
      db = await open();
      await plant(db);
    });
    after(() => db.close());

    for (const [sentence, { statements, by }] of Object.entries({ ...REFUSED, ...appendOnlyRefusals() })) {
      test(sentence, async () => {
        await assert.rejects(
          db.transaction((tx) => runAll(tx, statements)),
          (error) => {
            assert.ok(error instanceof StoreRejected);
            assert.equal(error.constraint ?? error.sqlstate, by);
            return true;
          },
        );
      });
    }

    test('what is legal passes: two votes, approval, admission, execution and a verified end', async () => {
      await db
        .transaction(async (tx) => {
          await runAll(tx, [
            vote('alice', 'approve'),
            vote('bob', 'approve'),
            `UPDATE proposals SET state = 'Approved', settled_at = app_now() WHERE id = '${ROW.proposal}'`,
            `UPDATE actions SET state = 'Approved' WHERE id = '${ROW.action}'`,
            `UPDATE actions SET state = 'Admitted' WHERE id = '${ROW.action}'`,
            event('I10', 'AwaitingApproval', 'Acting', 5),
            move('Acting'),
            attempt(1, 'execute', 'rejected'),
            attempt(2, 'execute', 'succeeded'),
            event('I12', 'Acting', 'Verifying', 6),
            move('Verifying'),
            event('I14', 'Verifying', 'Resolved', 7),
            move('Resolved', `, resolution_source = 'verifier'`),
          ]);
          throw new Rollback();
        })
        .catch((error: unknown) => assert.ok(error instanceof Rollback));
    });

    test('the time of an action’s state moves with the state', async () => {
      const [row] = await db.query<{ moved: boolean }>(
        `SELECT state_since > created_at AS moved FROM actions WHERE id = $1`,
        [ROW.action],
      );
      assert.equal(row?.moved, true);
    });
  });
}

/** Undoes a transaction whose statements were all accepted. */
class Rollback extends Error {}
