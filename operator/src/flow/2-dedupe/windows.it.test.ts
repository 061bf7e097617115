import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '@hephaisto/core/ports/database';
import { alert, webhookBody } from '@hephaisto/test/alerts';
import { createTestDatabase } from '@hephaisto/test/database';
import { intakeLine } from '@hephaisto/test/intake-line';
import { addLocalCluster, drain, quietDeps } from '@hephaisto/test/stage-deps';

const SIGNALS = 120;

/** Counts the signals whose facts are read, again and again included. */
function countingFacts(db: Database): { readonly db: Database; readonly read: () => number } {
  let read = 0;
  const counting: Database = Object.assign(Object.create(db) as Database, {
    transaction: ((work, options) =>
      db.transaction(
        (tx) =>
          work({
            execute: (statement, values) => tx.execute(statement, values),
            query: (statement, values) => {
              if (statement.includes('AS overlapping')) read += (JSON.parse(String(values?.[0])) as unknown[]).length;
              return tx.query(statement, values);
            },
          }),
        options,
      )) satisfies Database['transaction'],
  });
  return { db: counting, read: () => read };
}

const CASES: Readonly<Record<string, { readonly deployment: (i: number) => string; readonly incidents: number }>> = {
  'where each opens an incident of its own': { deployment: (i) => `web-${i}`, incidents: SIGNALS },
  'where all but the first join one incident': { deployment: () => 'web', incidents: 1 },
  'where every tenth opens an incident': { deployment: (i) => `web-${Math.floor(i / 10)}`, incidents: SIGNALS / 10 },
};
for (const [name, { deployment, incidents }] of Object.entries(CASES))
  test(`the facts read grow with the signals that wait, not with their square, ${name}`, async () => {
    await using db = await createTestDatabase();
    await addLocalCluster(db);
    const counting = countingFacts(db);
    const line = intakeLine({ ...quietDeps(db), db: counting.db }, { times: { stormLimit: SIGNALS + 1 } });
    await line.post(
      webhookBody(
        Array.from({ length: SIGNALS }, (_, i) =>
          alert({
            labels: {
              alertname: 'KubePodCrashLooping',
              namespace: `n${deployment(i)}`,
              deployment: deployment(i),
              n: `${i}`,
            },
          }),
        ),
      ),
    );
    await drain(line.ingest, line.dedupe);
    const [row] = await db.query<{ incidents: number; pending: number }>(
      `SELECT (SELECT count(*)::int FROM incidents) AS incidents,
         (SELECT count(*)::int FROM signals WHERE disposition = 'pending') AS pending`,
    );
    assert.deepEqual(row, { incidents, pending: 0 });
    assert.ok(counting.read() <= 4 * SIGNALS, `expected at most ${4 * SIGNALS} reads, found ${counting.read()}`);
  });
