import type { Catalogue, Column, Constraint, Table } from './catalogue.ts';

/**
 * Writes the catalogue as a Prisma schema, for the tools and the people that read those. Prisma has no words for checks, triggers, partial
 * and expression indexes; the SQL dump has them.
 */
export function prismaSchema(catalogue: Catalogue): string {
  const models = catalogue.tables.map((table) => model(table, catalogue));
  return [HEADER, ...models].join('\n');
}

const HEADER = `// Written from the migrated database's catalogue; the migrations own the schema. Regenerate, never edit.
datasource db {
  provider = "postgresql"
}
`;

function model(table: Table, catalogue: Catalogue): string {
  const primary = table.constraints.find((constraint) => constraint.kind === 'p');
  const uniques = table.constraints.filter((constraint) => constraint.kind === 'u');
  const lines = [
    ...table.columns.map((column) => field(column)),
    ...foreignKeys(table).map((key) => forwardRelation(key, table)),
    ...catalogue.tables.flatMap((other) =>
      foreignKeys(other)
        .filter((key) => key.target === table.name)
        .map((key) => `${key.name}_of ${other.name}${isOneToOne(other, key) ? '?' : '[]'} @relation("${key.name}")`),
    ),
    ...(primary === undefined ? [] : [`@@id([${primary.columns.join(', ')}])`]),
    ...uniques.map(({ name, columns }) => `@@unique([${columns.join(', ')}], map: "${name}")`),
  ];
  return `model ${table.name} {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`;
}

function foreignKeys(table: Table): readonly Constraint[] {
  return table.constraints.filter((constraint) => constraint.kind === 'f');
}

function isOneToOne(table: Table, key: Constraint): boolean {
  const columns = [...key.columns].sort().join();
  return table.constraints.some(
    ({ kind, columns: own }) => (kind === 'p' || kind === 'u') && [...own].sort().join() === columns,
  );
}

const ACTIONS: Readonly<Record<string, string>> = {
  a: 'NoAction',
  c: 'Cascade',
  n: 'SetNull',
  r: 'Restrict',
  d: 'SetDefault',
};

function forwardRelation(key: Constraint, table: Table): string {
  const { name, target, columns, targetColumns, onDelete, onUpdate } = key;
  const actions = `onDelete: ${ACTIONS[onDelete]}, onUpdate: ${ACTIONS[onUpdate]}`;
  const lists = `fields: [${columns.join(', ')}], references: [${targetColumns.join(', ')}]`;
  const optional = table.columns.some((column) => columns.includes(column.name) && !column.required) ? '?' : '';
  return `${name} ${target}${optional} @relation("${name}", ${lists}, ${actions}, map: "${name}")`;
}

interface PrismaType {
  readonly type: string;
  readonly native: string;
}

const TYPES: Readonly<Record<string, PrismaType>> = {
  text: { type: 'String', native: '' },
  uuid: { type: 'String', native: ' @db.Uuid' },
  boolean: { type: 'Boolean', native: '' },
  integer: { type: 'Int', native: '' },
  bigint: { type: 'BigInt', native: '' },
  numeric: { type: 'Decimal', native: ' @db.Decimal' },
  jsonb: { type: 'Json', native: '' },
  bytea: { type: 'Bytes', native: '' },
  'timestamp with time zone': { type: 'DateTime', native: ' @db.Timestamptz(6)' },
};

function field(column: Column): string {
  const isList = column.type.endsWith('[]');
  const base = isList ? column.type.slice(0, -2) : column.type;
  const { type, native } = prismaType(base);
  const suffix = isList ? '[]' : column.required ? '' : '?';
  return `${column.name} ${type}${suffix}${defaultOf(column)}${native}`;
}

function prismaType(type: string): PrismaType {
  const known = TYPES[type];
  if (known !== undefined) return known;
  const sized = /^(character|numeric)\((.+)\)$/.exec(type);
  if (sized?.[1] === 'character') return { type: 'String', native: ` @db.Char(${sized[2]})` };
  if (sized?.[1] === 'numeric') return { type: 'Decimal', native: ` @db.Decimal(${sized[2]?.replace(',', ', ')})` };
  return { type: `Unsupported("${type}")`, native: '' };
}

function defaultOf(column: Column): string {
  if (column.identity !== null) return ' @default(autoincrement())';
  if (column.default === null) return '';
  return ` @default(dbgenerated(${JSON.stringify(column.default)}))`;
}
