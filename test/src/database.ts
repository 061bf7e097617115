/** Fresh, migrated databases for tests: the embedded one, and a server's too where HEPHAISTO_TEST_DATABASE_URL names it. With
 * HEPHAISTO_TEST_DATABASE_FOR_ALL=server every test uses that server alone. */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Database, Sql, TransactionOptions } from '@hephaisto/core/ports/database';
import { lockFolder } from '@hephaisto/operator/adapters/postgres/folder-lock';
import { MIGRATIONS_FOLDER, migrate, readMigrations } from '@hephaisto/operator/adapters/postgres/migrate';
import { openPglite } from '@hephaisto/operator/adapters/postgres/pglite';
import { openPostgres, type PostgresOptions } from '@hephaisto/operator/adapters/postgres/postgres';
import { PRODUCT_SEEDS } from '@hephaisto/operator/adapters/postgres/seeds';
import { lendDatabase } from './reused-database.ts';
import { serverUnderTest, TEST_PREFIX } from './server-under-test.ts';

export interface TestDatabaseOptions {
  /** Leaves out the migrations. */
  readonly empty?: boolean;
}

export interface TestDatabase extends Database, AsyncDisposable {
  /** The server's connection string; undefined on the embedded database. */
  readonly url: string | undefined;
  /** Another pool on the same database; on the embedded one, which has one connection, the same object. Closed with this one. */
  connect(options?: Partial<PostgresOptions>): Database;
  /** Sets `app_now()` ahead by an interval, for every connection of this database. */
  moveClock(offset: string): Promise<void>;
}

export interface DatabaseUnderTest {
  readonly name: 'pglite' | 'postgres';
  open(options?: TestDatabaseOptions): Promise<TestDatabase>;
}

const SERVER_URL = serverUnderTest(process.env.HEPHAISTO_TEST_DATABASE_URL);

/** Whether tests that ask for just any database get one on the server: how the stages' tests are run on both. */
const ALL_ON_SERVER = process.env.HEPHAISTO_TEST_DATABASE_FOR_ALL === 'server';

/** The databases that a suite must hold on: run every such suite once for each. */
export const DATABASES: readonly DatabaseUnderTest[] = [
  ...(ALL_ON_SERVER ? [] : [{ name: 'pglite' as const, open: createEmbedded }]),
  ...(SERVER_URL === undefined
    ? []
    : [{ name: 'postgres' as const, open: (options = {}) => createOnServer(SERVER_URL, options) }]),
];

/** A fresh database: the embedded one in memory, unless all tests were told to use the server. */
export function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  if (!ALL_ON_SERVER) return createEmbedded(options, true);
  if (SERVER_URL === undefined)
    throw new Error('expected HEPHAISTO_TEST_DATABASE_URL to name the server that all tests shall use, found nothing');
  return createOnServer(SERVER_URL, options);
}

/** In memory. Takes well under a second once the template is cached, and next to nothing where an earlier one of this process is lent again. */
async function createEmbedded(options: TestDatabaseOptions = {}, lent = false): Promise<TestDatabase> {
  const open = async (): Promise<Database> =>
    openPglite({ folder: 'memory', load: await templateFile(options.empty === true) });
  const db = lent && options.empty !== true ? await lendDatabase(open) : await open();
  return Object.assign(db, {
    url: undefined,
    connect: () => db,
    moveClock: async (offset: string) =>
      void (await db.query(`SELECT set_config('hephaisto.clock_offset', $1, false)`, [offset])),
    [Symbol.asyncDispose]: () => db.close(),
  });
}

async function createOnServer(serverUrl: string, options: TestDatabaseOptions): Promise<TestDatabase> {
  const name = `${TEST_PREFIX}${randomUUID().replaceAll('-', '').slice(0, 16)}`;
  const template = options.empty === true ? 'template1' : await serverTemplate(serverUrl);
  await onServer(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const db = new ServerTestDatabase(url.href, () =>
    onServer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  );
  return db;
}

let templateOnServer: Promise<string> | undefined;

/** The server's migrated database of which all others are copies, made by one process while others wait. */
function serverTemplate(serverUrl: string): Promise<string> {
  templateOnServer ??= (async () => {
    const name = `${TEST_PREFIX}template_${await templateKey()}`;
    const server = openPostgres({ url: serverUrl, poolSize: 1 });
    try {
      await server.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
      const present = await server.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
      if (present.length === 0) await buildOnServer(server, serverUrl, name);
    } finally {
      await server.close();
    }
    return name;
  })();
  return templateOnServer;
}

async function buildOnServer(server: Database, serverUrl: string, name: string): Promise<void> {
  const draft = `${name}_draft`;
  await server.execute(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`);
  await server.execute(`CREATE DATABASE ${draft}`);
  const url = new URL(serverUrl);
  url.pathname = `/${draft}`;
  const db = openPostgres({ url: url.href, poolSize: 1 });
  try {
    await migrate(db);
  } finally {
    await db.close();
  }
  await server.execute(`ALTER DATABASE ${draft} RENAME TO ${name}`);
}

async function onServer(url: string, statement: string): Promise<void> {
  const server = openPostgres({ url, poolSize: 1 });
  try {
    await server.execute(statement);
  } finally {
    await server.close();
  }
}

/** Puts a new pool in the old one's place when the clock moves, since a setting reaches only connections that are opened after it. */
class ServerTestDatabase implements TestDatabase {
  readonly kind = 'postgres';
  readonly url: string;
  private current: Database;
  private readonly opened: Database[] = [];
  private readonly drop: () => Promise<void>;
  private offset = '0';

  constructor(url: string, drop: () => Promise<void>) {
    this.url = url;
    this.drop = drop;
    this.current = this.connect();
  }

  query<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]> {
    return this.current.query<Row>(text, values);
  }

  execute(text: string, values?: readonly unknown[]): Promise<number> {
    return this.current.execute(text, values);
  }

  transaction<T>(work: (tx: Sql) => Promise<T>, options?: TransactionOptions): Promise<T> {
    return this.current.transaction(work, options);
  }

  listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>> {
    return this.current.listen(channel, onNotify);
  }

  connect(options: Partial<PostgresOptions> = {}): Database {
    const db = openPostgres({
      url: this.url,
      poolSize: 4,
      settings: { 'hephaisto.clock_offset': this.offset },
      ...options,
    });
    this.opened.push(db);
    return db;
  }

  async moveClock(offset: string): Promise<void> {
    this.offset = offset;
    this.current = this.connect();
  }

  async close(): Promise<void> {
    await Promise.all(this.opened.map((db) => db.close()));
    await this.drop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/hephaisto', import.meta.url));

/** The tar of a database folder, built once for each state of migrations, seeds and engine, by one process while others wait. */
async function templateFile(empty: boolean): Promise<string> {
  const key = empty ? engineVersion() : await templateKey();
  const path = join(CACHE, `database-${key}.tar`);
  mkdirSync(join(CACHE, 'building'), { recursive: true });
  while (!existsSync(path)) {
    const lock = tryLock(join(CACHE, 'building'));
    if (lock === undefined) {
      await sleep(100);
      continue;
    }
    try {
      if (!existsSync(path)) await buildTemplate(path, empty);
    } finally {
      lock.release();
    }
  }
  return path;
}

function tryLock(folder: string): ReturnType<typeof lockFolder> | undefined {
  try {
    return lockFolder(folder);
  } catch {
    return undefined;
  }
}

async function buildTemplate(path: string, empty: boolean): Promise<void> {
  const db = await openPglite({ folder: 'memory' });
  if (!empty) await migrate(db);
  await db.execute('CHECKPOINT');
  writeFileSync(`${path}.draft`, await db.dump());
  renameSync(`${path}.draft`, path);
  await db.close();
}

async function templateKey(): Promise<string> {
  const migrations = await readMigrations(MIGRATIONS_FOLDER);
  const content = [
    engineVersion(),
    ...migrations.map(({ name, checksum }) => name + checksum),
    JSON.stringify(PRODUCT_SEEDS),
  ];
  return createHash('sha256').update(content.join('\n')).digest('hex').slice(0, 16);
}

function engineVersion(): string {
  const require = createRequire(new URL('../../operator/package.json', import.meta.url));
  const entry = require.resolve('@electric-sql/pglite');
  const manifest: unknown = require(join(entry, '../../package.json'));
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : '';
  return `pglite-${String(version)}`;
}
