import { randomUUID } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '@hephaisto/operator/adapters/postgres/migrate';
import { openPglite } from '@hephaisto/operator/adapters/postgres/pglite';
import { openPostgres } from '@hephaisto/operator/adapters/postgres/postgres';
import { TEST_PREFIX } from '../../src/server-under-test.ts';
import type { DatabaseChoice } from '../context.ts';
import type { DatabaseInput } from '../harness/databases.ts';

/** Migrated databases by the copy: migrating anew would be most of what a short run costs. */
export interface CopiedDatabases {
  take(kind: DatabaseChoice): Promise<{ readonly input: DatabaseInput; drop(): Promise<void> }>;
  close(): Promise<void>;
}

export async function copiedDatabases(serverUrl: string, folder: string): Promise<CopiedDatabases> {
  const server = openPostgres({ url: serverUrl, poolSize: 2 });
  const template = `${TEST_PREFIX}template_${randomUUID().slice(0, 8)}`;
  await server.execute(`CREATE DATABASE ${template}`);
  const onTemplate = openPostgres({ url: named(serverUrl, template), poolSize: 1 });
  await migrate(onTemplate);
  await onTemplate.close();
  const master = join(folder, 'pglite-template');
  const embedded = await openPglite({ folder: master });
  await migrate(embedded);
  await embedded.close();
  return {
    async take(kind) {
      const name = `${TEST_PREFIX}${randomUUID().replaceAll('-', '').slice(0, 16)}`;
      if (kind === 'pglite') {
        const copy = join(folder, name);
        cpSync(master, copy, { recursive: true });
        return {
          input: { kind: 'embedded', folder: copy },
          drop: async () => rmSync(copy, { recursive: true, force: true }),
        };
      }
      await server.execute(`CREATE DATABASE ${name} TEMPLATE ${template}`);
      return {
        input: { kind: 'postgres', url: named(serverUrl, name) },
        drop: async () => void (await server.execute(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
      };
    },
    async close() {
      await server.execute(`DROP DATABASE IF EXISTS ${template} WITH (FORCE)`);
      await server.close();
      rmSync(master, { recursive: true, force: true });
    },
  };
}

function named(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}
