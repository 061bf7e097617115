import type { Sql } from '@hephaisto/core/ports/database';

/**
 * Whether this replica's policy is the one that was loaded last. During an upgrade replicas with the old one still run; they leave the
 * proposals of the new one alone, or each would supersede the other's, for as long as both live.
 */
export async function isInForce(sql: Sql, hash: string): Promise<boolean> {
  const last = await lastLoaded(sql);
  return last === undefined || last === hash;
}

/** Hash of the policy that was loaded last by any replica. */
export async function lastLoaded(sql: Sql): Promise<string | undefined> {
  const [row] = await sql.query<{ hash: string }>(
    `SELECT detail ->> 'hash' AS hash FROM audit_log
     WHERE subject_kind = 'policy' AND subject_id = 'installation' AND verb = 'policy.load' ORDER BY at DESC, id DESC LIMIT 1`,
  );
  return row?.hash;
}
