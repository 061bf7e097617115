import { stringify } from 'yaml';

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
  if (format === 'json') return `${JSON.stringify(rows, null, 2)}\n`;
  if (format === 'yaml') return stringify(rows);
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
  return format === 'json' ? `${JSON.stringify(value, null, 2)}\n` : stringify(value);
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
