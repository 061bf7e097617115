import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Database, type Sql, StorageRefused, StoreRejected } from '@hephaisto/core/ports/database';
import { grantAppRole } from './app-role.ts';
import { type AppliedMigration, type Migration, type MigrationStep, nextMigration } from './migration-plan.ts';
import { isSeeded, PRODUCT_SEEDS, type Seeds, seed } from './seeds.ts';

export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../../../prisma/migrations', import.meta.url));
const OLDEST_SERVER = 16;
/** The lock that Prisma's own migration engine takes, so that the two exclude one another. */
const LOCK = 72_707_369;
/** Creating an index on a large table may take longer than any statement of the running product. */
const MIGRATION_TIMEOUT_MS = 3_600_000;

export interface MigrateOptions {
  /** Folder with one folder a migration; the product's own when absent. */
  readonly folder?: string;
  readonly seeds?: Seeds;
  /** A role that the running product connects as; it is granted what it needs and denied change of the append-only tables. */
  readonly appRole?: string;
  readonly onProgress?: (message: string) => void;
}

export interface Migrated {
  /** Names of the migrations that this call applied; those of a process that ran at the same time are not among them. */
  readonly applied: readonly string[];
}

/**
 * Brings the database to this version's schema. Safe when several processes call it at once: each migration is one transaction under an
 * advisory lock. Rejects with `StorageRefused` for a server that is too old and for a database that is newer, foreign or changed, in which
 * case nothing was touched; with `MigrationFailed` when a migration's SQL is refused, in which case that migration left nothing.
 */
export async function migrate(db: Database, options: MigrateOptions = {}): Promise<Migrated> {
  const seeds = options.seeds ?? PRODUCT_SEEDS;
  const migrated = await applyMigrations(db, options.folder ?? MIGRATIONS_FOLDER, options.onProgress);
  if (!(await isSeeded(db, seeds))) {
    await db.transaction(async (tx) => {
      await takeLock(tx);
      await seed(tx, seeds);
    });
  }
  if (options.appRole !== undefined) await grantAppRole(db, options.appRole);
  return migrated;
}

/** The schema alone, without the rows that code owns. Refuses and fails as `migrate` does. */
export async function applyMigrations(
  db: Database,
  folder: string,
  onProgress: (message: string) => void = () => undefined,
): Promise<Migrated> {
  const known = await readMigrations(folder);
  await requireServer(db);
  const applied: string[] = [];
  let step = await decide(db, known);
  while (step.kind === 'apply') {
    onProgress(`applying migration ${step.migration.name}, ${step.remaining} to go`);
    const name = await applyNext(db, known);
    if (name !== undefined) applied.push(name);
    step = await decide(db, known);
  }
  if (step.kind === 'refuse') throw new StorageRefused(step.reason, step.message);
  return { applied };
}

/** Reads the migrations in the order of their names. The checksum is of the file's bytes. */
export async function readMigrations(folder: string): Promise<readonly Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const bytes = await readFile(join(folder, name, 'migration.sql'));
      return { name, checksum: createHash('sha256').update(bytes).digest('hex'), sql: bytes.toString('utf8') };
    }),
  );
}

async function requireServer(db: Sql): Promise<void> {
  const [row] = await db.query<{ number: number; version: string }>(
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version`,
  );
  if (row !== undefined && row.number >= OLDEST_SERVER * 10_000) return;
  throw new StorageRefused(
    'ServerTooOld',
    `expected PostgreSQL ${OLDEST_SERVER} or later, found ${row?.version ?? 'no version'}; upgrade the server or name another one`,
  );
}

async function decide(sql: Sql, known: readonly Migration[]): Promise<MigrationStep> {
  const [found] = await sql.query<{ history: boolean; others: boolean }>(
    `SELECT bool_or(relname = '_prisma_migrations') IS TRUE AS history, bool_or(relname <> '_prisma_migrations') IS TRUE AS others
       FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace`,
  );
  const history = found?.history
    ? await sql.query<AppliedMigration>(
        'SELECT migration_name, checksum, finished_at, rolled_back_at FROM _prisma_migrations',
      )
    : [];
  return nextMigration(known, history, found?.others ?? false);
}

/** Decides again under the lock, since another process may have been faster, and applies at most one migration. */
function applyNext(db: Database, known: readonly Migration[]): Promise<string | undefined> {
  return db.transaction(
    async (tx) => {
      await takeLock(tx);
      await tx.execute(HISTORY_TABLE);
      const step = await decide(tx, known);
      if (step.kind !== 'apply') return undefined;
      const { name, checksum, sql } = step.migration;
      const started = new Date();
      await runMigration(tx, name, sql);
      await tx.execute(
        `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
         VALUES ($1, $2, $3, $4, now(), 1)`,
        [randomUUID(), checksum, name, started],
      );
      return name;
    },
    { statementTimeoutMs: MIGRATION_TIMEOUT_MS },
  );
}

async function takeLock(tx: Sql): Promise<void> {
  // Waiting for another process's migration is not a lock that timed out.
  await tx.execute('SET LOCAL lock_timeout = 0');
  await tx.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
}

async function runMigration(tx: Sql, name: string, sql: string): Promise<void> {
  try {
    await tx.execute(sql);
  } catch (error) {
    if (!(error instanceof StoreRejected)) throw error;
    throw new StorageRefused(
      'MigrationFailed',
      `expected migration \`${name}\` to apply, but ${error.message}; nothing of it was kept`,
      error,
    );
  }
}

/** As Prisma creates it, so that `prisma migrate status` reads the same history. */
const HISTORY_TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id varchar(36) PRIMARY KEY NOT NULL, checksum varchar(64) NOT NULL, finished_at timestamptz, migration_name varchar(255) NOT NULL,
  logs text, rolled_back_at timestamptz, started_at timestamptz NOT NULL DEFAULT now(), applied_steps_count integer NOT NULL DEFAULT 0)`;
