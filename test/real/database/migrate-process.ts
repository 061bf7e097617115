import { text } from 'node:stream/consumers';
import { migrate } from '@hephaisto/operator/adapters/postgres/migrate';
import { openPostgres } from '@hephaisto/operator/adapters/postgres/postgres';

/** Migrates the database whose address comes on stdin, and prints the names of the migrations that it applied. */
const db = openPostgres({ url: (await text(process.stdin)).trim(), poolSize: 1 });
const { applied } = await migrate(db);
process.stdout.write(JSON.stringify(applied));
await db.close();
