import type { Database } from '@hephaisto/core/ports/database';

/** Makes or refreshes the row of the cluster that this installation watches. Its id is the uid of its kube-system namespace. */
export async function registerCluster(
  db: Database,
  cluster: { readonly id: string; readonly displayName: string; readonly aliases: readonly string[] },
): Promise<void> {
  await db.execute(
    `INSERT INTO clusters (id, is_local, display_name, aliases) VALUES ($1, true, $2, $3)
     ON CONFLICT (id) DO UPDATE SET is_local = true, display_name = excluded.display_name, aliases = excluded.aliases`,
    [cluster.id, cluster.displayName, cluster.aliases],
  );
}
