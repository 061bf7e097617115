import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { ConfigInput } from '@hephaisto/core/config/schema';
import { openPostgres } from '@hephaisto/operator/adapters/postgres/postgres';
import { TEST_PREFIX } from '../../src/server-under-test.ts';
import type { World } from '../../world/world.ts';
import type { DatabaseChoice } from '../context.ts';

export type DatabaseInput = NonNullable<ConfigInput['database']>;

/** A new and empty database, as a configuration names it. */
export async function freshDatabase(world: World, kind: DatabaseChoice): Promise<DatabaseInput> {
  const name = `${TEST_PREFIX}${randomUUID().replaceAll('-', '').slice(0, 16)}`;
  if (kind === 'pglite') return { kind: 'embedded', folder: join(world.folder, name) };
  const server = world.postgres?.url;
  if (server === undefined) throw new Error('expected a world with PostgreSQL; this is a bug in the test runner');
  const db = openPostgres({ url: server, poolSize: 1 });
  try {
    await db.execute(`CREATE DATABASE ${name}`);
  } finally {
    await db.close();
  }
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { kind: 'postgres', url: url.href };
}
