import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Database, StorageRefusal } from '@hephaisto/core/ports/database';
import { StorageRefused, StoreRejected } from '@hephaisto/core/ports/database';
import { DATABASES } from '@hephaisto/test/database';
import { auditProtection } from './app-role.ts';
import { applyMigrations, MIGRATIONS_FOLDER, migrate, readMigrations } from './migrate.ts';
import { PRODUCT_SEEDS } from './seeds.ts';

/** Runs `work` with a copy of the product's migrations that it may change. */
async function withCopy(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'hephaisto-migrations-'));
  try {
    await cp(MIGRATIONS_FOLDER, folder, { recursive: true });
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function addMigration(folder: string, name: string, sql: string): Promise<void> {
  await mkdir(join(folder, name));
  await writeFile(join(folder, name, 'migration.sql'), sql);
}

async function refusedWith(code: StorageRefusal, exitCode: number, attempt: Promise<unknown>): Promise<void> {
  await assert.rejects(attempt, (error) => {
    assert.ok(error instanceof StorageRefused, String(error));
    assert.equal(error.code, code);
    assert.equal(error.exitCode, exitCode);
    assert.match(error.message, /^expected .*[^.]$/);
    return true;
  });
}

async function tables(db: Database): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    `SELECT count(*) AS n FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  return row?.n ?? 0;
}

for (const { name, open } of DATABASES) {
  describe(`migrations (${name})`, () => {
    test('an empty database gets every migration, once, and its edges', async () => {
      await using db = await open({ empty: true });
      const known = await readMigrations(MIGRATIONS_FOLDER);
      assert.deepEqual(
        (await migrate(db)).applied,
        known.map((migration) => migration.name),
      );
      assert.deepEqual((await migrate(db)).applied, []);
      const [edges] = await db.query<{ n: number }>('SELECT count(*) AS n FROM incident_edges');
      assert.equal(edges?.n, PRODUCT_SEEDS.incident.length);
    });

    test('every earlier state is brought to the same end', async () => {
      const known = await readMigrations(MIGRATIONS_FOLDER);
      for (let landed = 1; landed < known.length; landed += 1) {
        await using db = await open({ empty: true });
        await withCopy(async (folder) => {
          for (const { name: later } of known.slice(landed)) await rm(join(folder, later), { recursive: true });
          await applyMigrations(db, folder);
        });
        assert.deepEqual(
          (await migrate(db)).applied,
          known.slice(landed).map((migration) => migration.name),
        );
      }
    });

    test('two that migrate at once both succeed and each migration is applied once', async () => {
      await using db = await open({ empty: true });
      const both = await Promise.all([migrate(db.connect()), migrate(db.connect())]);
      const known = await readMigrations(MIGRATIONS_FOLDER);
      assert.deepEqual(
        both.flatMap(({ applied }) => applied).sort(),
        known.map((migration) => migration.name),
      );
    });

    test('the history holds the checksum of each file as Prisma computes it', async () => {
      await using db = await open();
      const known = await readMigrations(MIGRATIONS_FOLDER);
      const rows = await db.query(
        'SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished, applied_steps_count AS steps FROM _prisma_migrations ORDER BY 1',
      );
      assert.deepEqual(
        rows,
        known.map((migration) => ({ name: migration.name, checksum: migration.checksum, finished: true, steps: 1 })),
      );
    });

    test('a database of a newer version is refused and left as it is', async () => {
      await using db = await open();
      await withCopy(async (folder) => {
        await addMigration(folder, '29990101000000_future', 'CREATE TABLE future (id int)');
        await migrate(db, { folder });
      });
      const before = await tables(db);
      await refusedWith('DatabaseNewer', 4, migrate(db));
      assert.equal(await tables(db), before);
    });

    test('a landed migration with another text is refused', async () => {
      await using db = await open();
      await withCopy(async (folder) => {
        const [first] = await readMigrations(folder);
        assert.ok(first);
        await writeFile(join(folder, first.name, 'migration.sql'), `${first.sql}-- edited\n`);
        await refusedWith('MigrationChanged', 4, migrate(db, { folder }));
      });
    });

    test('somebody else’s tables are refused and left alone', async () => {
      await using db = await open({ empty: true });
      await db.execute('CREATE TABLE customers (id int)');
      await refusedWith('DatabaseForeign', 4, migrate(db));
      assert.equal(await tables(db), 1);
    });

    test('a migration that fails leaves nothing and does not stop the next try', async () => {
      await using db = await open();
      await withCopy(async (folder) => {
        await addMigration(folder, '29990101000000_bad', 'CREATE TABLE half (id int); SELECT 1 / 0');
        await refusedWith('MigrationFailed', 1, migrate(db, { folder }));
      });
      assert.deepEqual(await db.query(`SELECT 1 FROM pg_class WHERE relname = 'half'`), []);
      assert.deepEqual((await migrate(db)).applied, []);
    });

    test('an edge that code no longer knows is removed and a new one is added', async () => {
      await using db = await open();
      await migrate(db, { seeds: { ...PRODUCT_SEEDS, proposal: [{ edge: 'P9', from: '', to: 'Open' }] } });
      assert.deepEqual(await db.query('SELECT edge FROM proposal_edges'), [{ edge: 'P9' }]);
      await migrate(db);
      const [row] = await db.query<{ n: number }>('SELECT count(*) AS n FROM proposal_edges');
      assert.equal(row?.n, PRODUCT_SEEDS.proposal.length);
    });

    test('an old server is refused with a sentence', async () => {
      await using db = await open({ empty: true });
      const old: Database = {
        ...{ kind: db.kind, transaction: db.transaction, listen: db.listen, close: db.close, execute: db.execute },
        query: async <Row>() => [{ number: 150_006, version: '15.6' }] as readonly unknown[] as readonly Row[],
      };
      await refusedWith('ServerTooOld', 5, migrate(old));
    });

    test('the extension that later migrations need can be created', async () => {
      await using db = await open();
      await db.execute('CREATE EXTENSION vector');
      assert.deepEqual(await db.query(`SELECT '[3,4]'::vector <-> '[0,0]'::vector AS distance`), [{ distance: 5 }]);
    });

    test('the product’s role can neither change the audit trail nor make edges legal, even with the triggers gone', async () => {
      await using db = await open();
      const role = `hephaisto_test_app_${process.pid}_${name}`;
      await db.execute(`CREATE ROLE ${role}`);
      try {
        await migrate(db, { appRole: role });
        await db.execute(
          'DROP TRIGGER t_append ON audit_log; DROP TRIGGER t_trunc ON audit_log; DROP TRIGGER t_append ON incident_events',
        );
        const denied = [
          'UPDATE audit_log SET actor = $1',
          'DELETE FROM incident_events WHERE actor = $1',
          'TRUNCATE audit_log',
          'TRUNCATE approvals',
          'DELETE FROM approvals',
          'INSERT INTO incident_edges VALUES ($1, $1, $1)',
          'DELETE FROM leases',
        ];
        for (const statement of denied) {
          const values = statement.includes('$1') ? ['x'] : [];
          await assert.rejects(
            as(db, role, statement, values),
            (error) => error instanceof StoreRejected && error.sqlstate === '42501',
          );
        }
        await as(
          db,
          role,
          `INSERT INTO audit_log (actor, origin, verb, subject_kind, subject_id) VALUES ($1, 'api', 'v', 's', '1')`,
          ['x'],
        );
        const seen = await db.transaction(async (tx) => {
          await tx.execute(`SET LOCAL ROLE ${role}`);
          return auditProtection(tx);
        });
        assert.equal(seen.reason, 'role-cannot-change-audit');
        assert.equal((await auditProtection(db)).reason, 'role-owns-audit');
      } finally {
        await db.execute(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
      }
    });
  });
}

function as(db: Database, role: string, statement: string, values: readonly unknown[]): Promise<number> {
  return db.transaction(async (tx) => {
    await tx.execute(`SET LOCAL ROLE ${role}`);
    return tx.execute(statement, values);
  });
}
