/** Embedded databases that are given back, emptied and lent again: starting an engine costs more than most tests. */
import { after } from 'node:test';
import { type Database, StoreUnavailable } from '@hephaisto/core/ports/database';

/** Brings a database back to what it was when it was first lent; false when it cannot be trusted to be that. */
type Restore = () => Promise<boolean>;

interface Idle {
  readonly db: Database;
  readonly restore: Restore;
}

const MOST_IDLE = 2;
const MOST_GROWTH_BYTES = 24 * 1024 * 1024;
const idle: Idle[] = [];

/** Elsewhere than in a test file nobody would say when the last one was needed, and an engine keeps its process alive. */
const IN_TEST_FILE = process.env.NODE_TEST_CONTEXT !== undefined;
/** The file's own last hooks may run after ours, and give back what nobody will ask for again. */
let over = false;
if (IN_TEST_FILE)
  after(async () => {
    over = true;
    for (const { db } of idle.splice(0)) await db.close();
  });

/** A database as new. `open` is asked for one when none has come back. Closing it gives it back. */
export async function lendDatabase(open: () => Promise<Database>): Promise<Database> {
  if (!IN_TEST_FILE) return open();
  const { db, restore } = idle.pop() ?? (await prepared(await open()));
  const unlisten = new Set<() => Promise<void>>();
  let closing: Promise<void> | undefined;
  function lent(): Database {
    if (closing === undefined) return db;
    throw new StoreUnavailable('the database of the test is closed', { outcome: 'none' });
  }
  async function giveBack(): Promise<void> {
    for (const stop of unlisten) await stop();
    const wanted = !over && idle.length < MOST_IDLE && (await restore().catch(() => false));
    if (wanted && !over) idle.push({ db, restore });
    else await db.close();
  }
  return {
    kind: db.kind,
    query: async (text, values) => lent().query(text, values),
    execute: async (text, values) => lent().execute(text, values),
    transaction: async (work, options) => lent().transaction(work, options),
    listen: async (channel, onNotify) => {
      const stop = await lent().listen(channel, onNotify);
      const once = async (): Promise<void> => {
        if (unlisten.delete(once)) await stop();
      };
      unlisten.add(once);
      return once;
    },
    close() {
      closing ??= giveBack();
      return closing;
    },
  };
}

/** Everything a test might change that is no row: with any of it changed, the database is not lent again. */
const SHAPE = `SELECT md5(string_agg(x, ',' ORDER BY x)) AS shape FROM (
  SELECT concat('c', oid, relname, relpersistence, relacl::text) AS x FROM pg_class WHERE relnamespace = 'public'::regnamespace OR relpersistence = 't'
  UNION ALL SELECT concat('a', attrelid, attname, atttypid, attnotnull) FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
    WHERE relnamespace = 'public'::regnamespace AND attnum > 0
  UNION ALL SELECT concat('t', oid, tgenabled) FROM pg_trigger
  UNION ALL SELECT concat('p', oid, prosrc, proacl::text) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL SELECT concat('k', oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
  UNION ALL SELECT concat('r', rolname) FROM pg_roles
  UNION ALL SELECT concat('e', extname) FROM pg_extension) shapes`;

async function shapeOf(db: Database): Promise<{ readonly shape: string; readonly bytes: number }> {
  const [shape] = await db.query<{ shape: string }>(SHAPE);
  const [size] = await db.query<{ bytes: number }>('SELECT pg_database_size(current_database())::float8 AS bytes');
  return { shape: shape?.shape ?? '', bytes: size?.bytes ?? 0 };
}

async function prepared(db: Database): Promise<Idle> {
  const before = await shapeOf(db);
  const tables = await db.query<{ name: string }>(
    `SELECT quote_ident(relname) AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1`,
  );
  const seeded: { readonly name: string; readonly rows: string }[] = [];
  for (const { name } of tables) {
    const [found] = await db.query<{ rows: string | null }>(`SELECT json_agg(t)::text AS rows FROM ${name} t`);
    if (typeof found?.rows === 'string') seeded.push({ name, rows: found.rows });
  }
  const sequences = await db.query<{ reset: string }>(
    `SELECT format('SELECT setval(%L, %s, %L)', quote_ident(schemaname) || '.' || quote_ident(sequencename),
       coalesce(last_value, start_value), last_value IS NOT NULL) AS reset FROM pg_sequences WHERE schemaname = 'public'`,
  );
  const [clock] = await db.query<{ ahead: string | null }>(
    `SELECT current_setting('hephaisto.clock_offset', true) AS ahead`,
  );
  const empty = tables.map(({ name }) => `DELETE FROM ${name}`);
  async function restore(): Promise<boolean> {
    const now = await shapeOf(db);
    if (now.shape !== before.shape || now.bytes > before.bytes + MOST_GROWTH_BYTES) return false;
    await db.transaction(async (tx) => {
      // Neither what makes rows stand for ever nor what ties them together holds here.
      await tx.execute('SET LOCAL session_replication_role = replica');
      await tx.execute([...empty, ...sequences.map(({ reset }) => reset)].join(';'));
      for (const { name, rows } of seeded)
        await tx.execute(
          `INSERT INTO ${name} OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::${name}, $1::json)`,
          [rows],
        );
    });
    await db.query(`SELECT set_config('hephaisto.clock_offset', $1, false)`, [clock?.ahead ?? '']);
    return true;
  }
  return { db, restore };
}
