import type { Sql } from '@hephaisto/core/ports/database';
import { type ClusterHealth, type Known, known, unknown } from '@hephaisto/policy/input';

/** A count that is older says nothing about now: its leader has died, or its watch is cut off from the cluster. */
export const MAX_HEALTH_AGE_SECONDS = 30;

interface Row {
  readonly pods: number;
  readonly unready_pods: number;
  readonly nodes: number;
  readonly unready_nodes: number;
  readonly namespaces: readonly string[];
  readonly age_seconds: number;
}

/** The health of the cluster as its watch counted it last; unknown when there is no count of the last half minute. */
export async function readClusterHealth(sql: Sql, cluster: string): Promise<Known<ClusterHealth>> {
  const [row] = await sql.query<Row>(
    `SELECT pods, unready_pods, nodes, unready_nodes, namespaces, extract(epoch FROM app_now() - counted_at)::float8 AS age_seconds
     FROM cluster_health WHERE cluster = $1`,
    [cluster],
  );
  if (row === undefined) return unknown('the watch of the cluster has not counted its pods and nodes yet');
  if (row.age_seconds > MAX_HEALTH_AGE_SECONDS)
    return unknown(
      `the watch of the cluster counted its pods and nodes ${Math.floor(row.age_seconds)} s ago, longer than ${MAX_HEALTH_AGE_SECONDS} s`,
    );
  return known({
    pods: row.pods,
    unreadyPods: row.unready_pods,
    nodes: row.nodes,
    unreadyNodes: row.unready_nodes,
    ...(row.namespaces.length === 0 ? {} : { namespaces: row.namespaces }),
  });
}
