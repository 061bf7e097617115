import type { Database, Sql } from '@hephaisto/core/ports/database';
import { cleanText, clip } from '@hephaisto/core/signal/clean-text';
import type { Severity, SignalKind } from '@hephaisto/core/signal/kind';
import type { WorkloadSample } from './cluster-view.ts';
import type { OpenCondition } from './ledger.ts';

interface OpenRow {
  readonly external_key: string;
  readonly starts_at: Date;
  readonly kind: SignalKind;
  readonly severity: Severity;
  readonly reason: string;
  readonly message: string | null;
  readonly namespace: string | null;
  readonly owner_kind: string | null;
  readonly owner_name: string | null;
  readonly owner_chain: readonly string[];
  readonly pod_name: string | null;
  readonly node_name: string | null;
}

/** Watched conditions that were firing when they were last heard of. */
export async function openConditions(db: Database, cluster: string): Promise<readonly OpenCondition[]> {
  const rows = await db.query<OpenRow>(
    `SELECT external_key, starts_at, kind, severity, reason, payload->>'message' AS message, namespace, owner_kind, owner_name,
       owner_chain, pod_name, node_name
     FROM signals WHERE cluster = $1 AND source = 'k8s' AND status <> 'resolved' AND starts_at IS NOT NULL`,
    [cluster],
  );
  return rows.flatMap((row) => {
    const [uid, ...rest] = row.external_key.split('/');
    const symptomKey = rest.slice(0, -1).join('/');
    if (uid === undefined || symptomKey === '') return [];
    return [
      {
        uid,
        symptomKey,
        externalKey: row.external_key,
        startsAt: row.starts_at,
        about: {
          namespace: row.namespace ?? undefined,
          owner: { kind: row.owner_kind ?? 'Unknown', name: row.owner_name ?? '' },
          chain: row.owner_chain,
          podName: row.pod_name ?? undefined,
          nodeName: row.node_name ?? undefined,
        },
        said: { kind: row.kind, severity: row.severity, reason: row.reason, message: row.message ?? '' },
      },
    ];
  });
}

export async function insertSamples(tx: Sql, cluster: string, samples: readonly WorkloadSample[]): Promise<void> {
  if (samples.length === 0) return;
  await tx.execute(
    `INSERT INTO workload_samples (cluster, namespace, kind, name, at, desired, ready, restarts)
     SELECT $1, r.namespace, r.kind, r.name, app_now(), r.desired, r.ready, r.restarts
     FROM jsonb_to_recordset($2::jsonb) AS r (namespace text, kind text, name text, desired integer, ready integer, restarts integer)
     ON CONFLICT DO NOTHING`,
    [cluster, JSON.stringify(samples)],
  );
}

/** Conditions that a feed shows, by the columns that tell them apart. Kinds that are not here have no conditions of their own. */
const CONDITIONS_OF: Readonly<Record<string, string>> = {
  pods: 'pod_name IS NOT NULL',
  nodes: `pod_name IS NULL AND owner_kind = 'Node'`,
  jobs: `pod_name IS NULL AND owner_kind IN ('Job', 'CronJob')`,
  deployments: `pod_name IS NULL AND owner_kind NOT IN ('Node', 'Job', 'CronJob')`,
};

/**
 * Marks the conditions of a feed as unknown, with why, or takes the mark away once the feed has listed again. An end that was seen meanwhile
 * stays an end.
 */
export async function markConditions(
  tx: Sql,
  cluster: string,
  { resource, namespace }: { readonly resource: string; readonly namespace: string },
  unknown: string | undefined,
): Promise<void> {
  const those = CONDITIONS_OF[resource];
  if (those === undefined) return;
  const where = `cluster = $1 AND source = 'k8s' AND starts_at IS NOT NULL AND ($2 = '' OR namespace = $2) AND ${those}`;
  if (unknown === undefined)
    await tx.execute(
      `UPDATE signals SET status = 'firing', payload = payload - 'unknown' WHERE status = 'unknown' AND ${where}`,
      [cluster, namespace],
    );
  else
    await tx.execute(
      `UPDATE signals SET status = 'unknown', payload = payload || jsonb_build_object('unknown', $3::text)
       WHERE status = 'firing' AND ${where}`,
      [cluster, namespace, clip(cleanText(unknown), 500)],
    );
}
