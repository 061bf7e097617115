import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@hephaisto/core/ports/database';
import { DATABASES } from '@hephaisto/test/database';
import { refreshStatistics } from './table-statistics.ts';

/** The database counts changes some time after they were committed. */
async function onceRefreshed(db: Database, table: string): Promise<void> {
  while (!(await refreshStatistics(db)).includes(table)) {
    await db.query('SELECT 1');
    await sleep(100);
  }
}

async function rowsPlannedFor(db: Database): Promise<number | undefined> {
  const [row] = await db.query<{ rows: number }>(
    `SELECT reltuples::float8 AS rows FROM pg_class WHERE relname = 'grown'`,
  );
  return row?.rows;
}

for (const { name, open } of DATABASES)
  test(`the planner learns how large a table has become, and again once most of it is gone (${name})`, async () => {
    await using db = await open({ empty: true });
    await db.execute('CREATE TABLE grown (id int PRIMARY KEY); CREATE TABLE calm (id int PRIMARY KEY)');
    await db.execute('INSERT INTO grown SELECT generate_series(1, 5000)');
    await onceRefreshed(db, 'grown');
    assert.equal(await rowsPlannedFor(db), 5_000);
    await db.execute('DELETE FROM grown WHERE id > 100');
    await onceRefreshed(db, 'grown');
    assert.equal(await rowsPlannedFor(db), 100);
    assert.deepEqual(await refreshStatistics(db), []);
  });
