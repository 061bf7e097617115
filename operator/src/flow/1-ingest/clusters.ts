import type { Database } from '@hephaisto/core/ports/database';
import type { FaultPoints } from '@hephaisto/core/ports/fault-points';
import { cleanText, clip } from '@hephaisto/core/signal/clean-text';

export interface AlertCluster {
  readonly id: string;
  readonly known: boolean;
  readonly local: boolean;
}

/**
 * The cluster an alert names: by id, display name or alias. No name is this cluster. A name that nobody knows gets a row of its own, not
 * local, so that what it says can be read and never acted upon.
 */
export async function resolveCluster(
  { db, faults }: { readonly db: Database; readonly faults: FaultPoints },
  localCluster: string,
  name: string | undefined,
): Promise<AlertCluster> {
  if (name === undefined || name === localCluster) return { id: localCluster, known: true, local: true };
  const [found] = await db.query<{ id: string; is_local: boolean }>(
    'SELECT id, is_local FROM clusters WHERE id = $1 OR display_name = $1 OR $1 = ANY(aliases) ORDER BY is_local DESC, id LIMIT 1',
    [name],
  );
  if (found !== undefined && !found.id.startsWith(UNKNOWN)) return { id: found.id, known: true, local: found.is_local };
  const id = found?.id ?? `${UNKNOWN}${clip(cleanText(name), 200)}`;
  await db.execute(
    'INSERT INTO clusters (id, is_local, display_name) VALUES ($1, false, $2) ON CONFLICT (id) DO NOTHING',
    [id, clip(cleanText(name), 200)],
  );
  await faults.hit('ingest:cluster-named');
  return { id, known: false, local: false };
}

const UNKNOWN = 'unknown:';
