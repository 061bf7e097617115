import type { Sql } from '@hephaisto/core/ports/database';
import type { PersonRef } from '@hephaisto/core/report/named';
import { iso, person } from './rows.ts';

/** A switch as its row says. A switch without a row stands at its default. */
export interface SwitchRow {
  readonly name: string;
  readonly value: string;
  readonly reason: string | null;
  readonly setBy: PersonRef;
  readonly setAt: string;
  readonly version: number;
}

export async function readSwitches(sql: Sql): Promise<SwitchRow[]> {
  const rows = await sql.query<{
    name: string;
    value: string;
    reason: string | null;
    set_by: string;
    set_by_name: string | null;
    set_at: Date;
    version: number;
  }>(
    `SELECT s.name, s.value, s.reason, s.set_by, n.display_name AS set_by_name, s.set_at, s.version
     FROM switches s LEFT JOIN principals n ON n.subject = s.set_by ORDER BY s.name`,
  );
  return rows.map((row) => ({
    name: row.name,
    value: row.value,
    reason: row.reason,
    setBy: person(row.set_by, row.set_by_name),
    setAt: iso(row.set_at),
    version: row.version,
  }));
}
