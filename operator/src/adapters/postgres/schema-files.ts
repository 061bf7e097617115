import type { Sql } from '@hephaisto/core/ports/database';
import { describeCatalogue, readCatalogue } from './catalogue.ts';
import { prismaSchema } from './prisma-schema.ts';

/** The committed files in prisma/ that are derived from the migrations. */
export const SCHEMA_FILES = ['schema.sql', 'schema.prisma'] as const;
export type SchemaFile = (typeof SCHEMA_FILES)[number];

/** What those files must hold for the migrated database behind `sql`. */
export async function schemaTexts(sql: Sql): Promise<Readonly<Record<SchemaFile, string>>> {
  const catalogue = await readCatalogue(sql);
  return {
    'schema.sql': `-- Written from the migrated database's catalogue, to be read and compared; the migrations own the schema. Regenerate, never edit.\n\n${describeCatalogue(catalogue)}`,
    'schema.prisma': prismaSchema(catalogue),
  };
}
