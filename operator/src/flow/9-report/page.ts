import type { Sql } from '@hephaisto/core/ports/database';
import type { Page } from '@hephaisto/core/report/named';
import type { Conditions } from './conditions.ts';
import { decodeCursor, encodeCursor, type ListName, NUMBER_SHAPE, UUID_SHAPE } from './cursor.ts';

export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export type Listed<T> =
  | { readonly kind: 'page'; readonly page: Page<T> }
  | { readonly kind: 'refused'; readonly reason: 'invalid-cursor'; readonly message: string };

/** How a list is read: its columns with their tables, the tables alone for counting, and what it is sorted by. */
export interface Listing<Row> {
  readonly name: ListName;
  readonly select: string;
  readonly from: string;
  /** A column that grows with each new row, so that rows made between two pages come before both: none is shown twice or left out. */
  readonly column: string;
  readonly type: 'uuid' | 'bigint';
  readonly position: (row: Row) => string;
}

const SHAPES = { uuid: UUID_SHAPE, bigint: NUMBER_SHAPE } as const;

/** One page, newest first, of the rows that fit `conditions`, which it adds to; `total` counts all that fit. */
export async function readPage<Row, T>(
  sql: Sql,
  listing: Listing<Row>,
  conditions: Conditions,
  request: PageRequest,
  project: (rows: readonly Row[]) => T[] | Promise<T[]>,
): Promise<Listed<T>> {
  const before =
    request.cursor === undefined ? undefined : decodeCursor(request.cursor, listing.name, SHAPES[listing.type]);
  if (before !== undefined && before.kind !== 'position') {
    const found = before.kind === 'other-list' ? `one of the list of ${before.list}` : 'another text';
    const message = `expected a cursor that an earlier page of the list of ${listing.name} gave, found ${found}`;
    return { kind: 'refused', reason: 'invalid-cursor', message };
  }
  const counted = await sql.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM ${listing.from} ${conditions.where()}`,
    conditions.values,
  );
  if (before !== undefined) conditions.add(`${listing.column} < ?::${listing.type}`, before.position);
  const limit = conditions.place(request.limit + 1);
  const rows = await sql.query<Row>(
    `${listing.select} ${conditions.where()} ORDER BY ${listing.column} DESC LIMIT ${limit}`,
    conditions.values,
  );
  const shown = rows.slice(0, request.limit);
  const last = shown.at(-1);
  return {
    kind: 'page',
    page: {
      items: await project(shown),
      next:
        rows.length > request.limit && last !== undefined ? encodeCursor(listing.name, listing.position(last)) : null,
      total: counted[0]?.total ?? 0,
    },
  };
}
