import type { Database } from '@hephaisto/core/ports/database';
import { z } from 'zod';

/** A vacuum of a larger table could outlast a statement's deadline. */
const MAX_VACUUMED_BYTES = 256 * 1024 * 1024;

/** Tables that changed by more than a tenth since the planner last learned of them, as autovacuum reckons; only those that this role may analyse. */
const CHANGED = `SELECT s.relid::regclass::text AS name,
    s.n_dead_tup > 50 + 0.2 * s.n_live_tup AND pg_total_relation_size(s.relid) <= $1 AS bloated
  FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
 WHERE s.schemaname = 'public' AND pg_has_role(c.relowner, 'USAGE')
   AND (s.n_mod_since_analyze > 50 + 0.1 * s.n_live_tup OR (c.reltuples < 0 AND pg_relation_size(c.oid) > 0))
 ORDER BY 1`;

const Changed = z.array(z.object({ name: z.string(), bloated: z.boolean() }));

/**
 * Renews the planner's statistics of the tables that changed, one statement each, and gives their names. On the embedded database nobody
 * else does: without statistics it plans for empty tables, and without a vacuum it reads every row that was ever deleted. On a server
 * autovacuum may be off or behind, so the statistics are renewed there too; space is the server's own business.
 */
export async function refreshStatistics(db: Database): Promise<readonly string[]> {
  const changed = Changed.parse(await db.query(CHANGED, [MAX_VACUUMED_BYTES]));
  for (const { name, bloated } of changed)
    await db.execute(
      db.kind === 'pglite' && bloated ? `VACUUM (ANALYZE, SKIP_LOCKED) ${name}` : `ANALYZE (SKIP_LOCKED) ${name}`,
    );
  return changed.map(({ name }) => name);
}
