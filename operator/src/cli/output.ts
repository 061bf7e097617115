import { Document, isScalar, Scalar, visit } from 'yaml';

export const FORMATS = ['json', 'yaml', 'wide', 'name'] as const;
export type Format = (typeof FORMATS)[number] | 'table';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  /** Shown with `-o wide` only. */
  readonly wide?: boolean;
}

export interface Listing<Row> {
  readonly columns: readonly Column<Row>[];
  /** Of one row, for `-o name`. */
  readonly name: (row: Row) => string;
}

/** Rows as text in the format asked for. Control characters of hostile texts are shown, never sent to the terminal. */
export function renderRows<Row>(rows: readonly Row[], listing: Listing<Row>, format: Format, headers: boolean): string {
  if (format === 'json' || format === 'yaml') return renderObject(rows, format);
  if (format === 'name') return rows.map((row) => `${inert(listing.name(row))}\n`).join('');
  const columns = listing.columns.filter((column) => format === 'wide' || column.wide !== true);
  const cells = [
    ...(headers ? [columns.map((column) => column.title)] : []),
    ...rows.map((row) => columns.map((column) => inert(column.value(row)))),
  ];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0), 0));
  return cells
    .map(
      (line) =>
        `${line
          .map((cell, index) => cell.padEnd(widths[index] ?? 0))
          .join('   ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** One object as JSON or YAML; people get YAML. */
export function renderObject(value: unknown, format: Format): string {
  return format === 'json' ? `${jsonText(value, 2)}\n` : yamlText(value);
}

/** JSON without anything that a terminal acts upon. */
export function jsonText(value: unknown, indent = 0): string {
  return escaped(JSON.stringify(value, null, indent));
}

/** A text with one of these is quoted, so that an escape means the character and both formats read back as they were. */
const UNSAFE = /[\p{Cc}\p{Cf}\u2028\u2029]/u;

function yamlText(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_key, node) {
      if (isScalar(node) && typeof node.value === 'string' && UNSAFE.test(node.value.replaceAll('\n', '')))
        node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return escaped(document.toString());
}

/** What a string of JSON or YAML may hold raw and a terminal must not get: C1 controls, and marks that turn the line around. */
function escaped(text: string): string {
  return text.replaceAll(/[\u007f-\u009f\u2028\u2029]|\p{Cf}/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => unicodeEscape(character.charCodeAt(index))).join(''),
  );
}

function unicodeEscape(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Text that cannot move the cursor, change colours or turn the line around. */
export function inert(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

/** `75` seconds as `1m`; the largest unit only, as kubectl shows ages. */
export function age(seconds: number): string {
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
