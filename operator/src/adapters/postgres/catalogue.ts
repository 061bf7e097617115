import type { Sql } from '@hephaisto/core/ports/database';

/** What the database's catalogue says about the product's schema, in an order that does not depend on how it came about. */
export interface Catalogue {
  readonly tables: readonly Table[];
  readonly functions: readonly string[];
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly constraints: readonly Constraint[];
  readonly indexes: readonly Index[];
  readonly triggers: readonly string[];
}

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly default: string | null;
  readonly identity: 'always' | 'default' | null;
}

export interface Constraint {
  readonly name: string;
  readonly kind: 'p' | 'u' | 'f' | 'c' | 't' | 'x';
  readonly definition: string;
  readonly columns: readonly string[];
  readonly target: string | null;
  readonly targetColumns: readonly string[];
  readonly onDelete: string;
  readonly onUpdate: string;
}

export interface Index {
  readonly name: string;
  readonly definition: string;
}

/** Reads the schema `public` without the migration history and without what extensions brought. */
export async function readCatalogue(sql: Sql): Promise<Catalogue> {
  const [tables, columns, constraints, indexes, triggers, functions] = [
    await sql.query<{ name: string }>(TABLES),
    await sql.query<Column & { table: string }>(COLUMNS),
    await sql.query<Constraint & { table: string }>(CONSTRAINTS),
    await sql.query<Index & { table: string }>(INDEXES),
    await sql.query<{ table: string; definition: string }>(TRIGGERS),
    await sql.query<{ definition: string }>(FUNCTIONS),
  ];
  function of<Item extends { table: string }>(items: readonly Item[], table: string): Omit<Item, 'table'>[] {
    return items.filter((item) => item.table === table).map(({ table: _, ...rest }) => rest);
  }
  return {
    tables: tables.map(({ name }) => ({
      name,
      columns: of(columns, name),
      constraints: of(constraints, name),
      indexes: of(indexes, name),
      triggers: of(triggers, name).map(({ definition }) => definition),
    })),
    functions: functions.map(({ definition }) => definition.trim()),
  };
}

/** The schema as one text, for people to read and for a comparison that shows every difference. */
export function describeCatalogue(catalogue: Catalogue): string {
  const tables = catalogue.tables.map((table) => {
    const lines = [
      ...table.columns.map(describeColumn),
      ...table.constraints.map(({ name, definition }) => `CONSTRAINT ${name} ${definition}`),
    ];
    const rest = [...table.indexes.map(({ definition }) => definition), ...table.triggers].map(
      (statement) => `${statement};\n`,
    );
    return `CREATE TABLE ${table.name} (\n  ${lines.join(',\n  ')}\n);\n${rest.join('')}`;
  });
  return [...tables, ...catalogue.functions.map((definition) => `${definition};\n`)].join('\n');
}

function describeColumn(column: Column): string {
  const parts = [column.name, column.type];
  if (column.required) parts.push('NOT NULL');
  if (column.identity !== null)
    parts.push(`GENERATED ${column.identity === 'always' ? 'ALWAYS' : 'BY DEFAULT'} AS IDENTITY`);
  if (column.default !== null) parts.push(`DEFAULT ${column.default}`);
  return parts.join(' ');
}

const OURS = `c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> '_prisma_migrations'
  AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')`;

const TABLES = `SELECT c.relname AS name FROM pg_class c WHERE ${OURS} ORDER BY c.relname COLLATE "C"`;

const COLUMNS = `SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS required,
    pg_get_expr(d.adbin, d.adrelid) AS default,
    CASE a.attidentity::text WHEN 'a' THEN 'always' WHEN 'd' THEN 'default' END AS identity
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
 WHERE ${OURS} ORDER BY c.relname COLLATE "C", a.attnum`;

// From PostgreSQL 18 on, NOT NULL is a constraint too; the column says it already.
const CONSTRAINTS = `SELECT c.relname AS table, k.conname AS name, k.contype::text AS kind, pg_get_constraintdef(k.oid) AS definition,
    ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY AS u (n, o) JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.n ORDER BY u.o) AS columns,
    f.relname AS target,
    ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY AS u (n, o) JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.n ORDER BY u.o) AS "targetColumns",
    k.confdeltype::text AS "onDelete", k.confupdtype::text AS "onUpdate"
  FROM pg_class c JOIN pg_constraint k ON k.conrelid = c.oid LEFT JOIN pg_class f ON f.oid = k.confrelid
 WHERE ${OURS} AND k.contype NOT IN ('n', 't')
 ORDER BY c.relname COLLATE "C", array_position(ARRAY['p', 'u', 'f', 'c'], k.contype::text), k.conname COLLATE "C"`;

const INDEXES = `SELECT c.relname AS table, x.relname AS name, replace(pg_get_indexdef(i.indexrelid), ' ON public.', ' ON ') AS definition
  FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid JOIN pg_class x ON x.oid = i.indexrelid
 WHERE ${OURS} AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))
 ORDER BY c.relname COLLATE "C", x.relname COLLATE "C"`;

const TRIGGERS = `SELECT c.relname AS table, replace(pg_get_triggerdef(t.oid), ' ON public.', ' ON ') AS definition
  FROM pg_class c JOIN pg_trigger t ON t.tgrelid = c.oid AND NOT t.tgisinternal
 WHERE ${OURS} ORDER BY c.relname COLLATE "C", t.tgname COLLATE "C"`;

const FUNCTIONS = `SELECT replace(pg_get_functiondef(p.oid), 'FUNCTION public.', 'FUNCTION ') AS definition FROM pg_proc p
 WHERE p.pronamespace = 'public'::regnamespace
   AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e') ORDER BY p.proname COLLATE "C"`;
