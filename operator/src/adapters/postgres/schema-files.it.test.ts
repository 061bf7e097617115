import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DATABASES } from '@hephaisto/test/database';
import { SCHEMA_FILES, schemaTexts } from './schema-files.ts';

for (const { name, open } of DATABASES) {
  describe(`the committed schema files (${name})`, () => {
    test('say what the migrated database’s catalogue says', async () => {
      await using db = await open();
      const texts = await schemaTexts(db);
      for (const file of SCHEMA_FILES) {
        const committed = readFileSync(fileURLToPath(new URL(`../../../../prisma/${file}`, import.meta.url)), 'utf8');
        assert.equal(
          committed,
          texts[file],
          `${file} differs from the migrations: run operator/src/adapters/postgres/write-schema-files.ts`,
        );
      }
    });

    test('differ as soon as the catalogue does', async () => {
      await using db = await open();
      const before = await schemaTexts(db);
      await db.execute('ALTER TABLE switches ADD COLUMN planted integer');
      const after = await schemaTexts(db);
      for (const file of SCHEMA_FILES) assert.notEqual(after[file], before[file]);
    });
  });
}
