/** Run by hand after a new migration: writes prisma/schema.sql and prisma/schema.prisma from a freshly migrated embedded database. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { migrate } from './migrate.ts';
import { openPglite } from './pglite.ts';
import { SCHEMA_FILES, schemaTexts } from './schema-files.ts';

const db = await openPglite({ folder: 'memory' });
await migrate(db);
const texts = await schemaTexts(db);
for (const file of SCHEMA_FILES) {
  writeFileSync(fileURLToPath(new URL(`../../../../prisma/${file}`, import.meta.url)), texts[file]);
}
await db.close();
