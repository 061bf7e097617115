import type { Sql } from '@hephaisto/core/ports/database';
import type { ResolvedOwner } from '@hephaisto/core/signal/alert-observation';
import { guessOwner } from '@hephaisto/core/signal/alert-target';

/** Who controls a pod, asked of the cluster. Never throws; `unknown` when nobody answered in time. */
export interface OwnerLookup {
  ofPod(
    namespace: string,
    podName: string,
  ): Promise<
    | { readonly kind: 'found'; readonly owner: ResolvedOwner }
    | { readonly kind: 'gone' }
    | { readonly kind: 'unknown'; readonly message: string }
  >;
}

export interface PodOwner extends ResolvedOwner {
  /** Where the answer comes from. */
  readonly by: 'memory' | 'cluster' | 'name';
}

/** A pod as an alert names it. */
export interface NamedPod {
  readonly cluster: { readonly id: string; readonly local: boolean };
  readonly namespace: string;
  readonly podName: string;
}

/** Questions to the cluster for one body: a storm of alerts must not become a storm of requests. Names answer the rest. */
const MOST_QUESTIONS = 200;

/**
 * The owners of the pods that a body's alerts name, by `podKey`. What an earlier signal of the same pod was filed under comes first, so
 * that an answer, once given, never changes the fault that later alerts of the pod belong to; then the cluster; and when that cannot
 * tell, the pod's name, which always tells the same.
 */
export async function resolvePodOwners(
  sql: Sql,
  lookup: OwnerLookup,
  pods: readonly NamedPod[],
): Promise<ReadonlyMap<string, PodOwner>> {
  const owners = new Map<string, PodOwner>(await remembered(sql, pods));
  let questions = 0;
  for (const pod of pods) {
    const key = podKey(pod);
    if (owners.has(key)) continue;
    questions += pod.cluster.local ? 1 : 0;
    const asked =
      pod.cluster.local && questions <= MOST_QUESTIONS ? await lookup.ofPod(pod.namespace, pod.podName) : undefined;
    const answered = asked?.kind === 'found' ? ({ ...asked.owner, by: 'cluster' } as const) : undefined;
    owners.set(key, answered ?? { ...guessOwner(pod.podName), by: 'name' });
  }
  return owners;
}

export function podKey(pod: NamedPod): string {
  return JSON.stringify([pod.cluster.id, pod.namespace, pod.podName]);
}

async function remembered(sql: Sql, pods: readonly NamedPod[]): Promise<readonly (readonly [string, PodOwner])[]> {
  if (pods.length === 0) return [];
  const rows = await sql.query<{
    cluster: string;
    namespace: string;
    pod_name: string;
    owner_kind: string;
    owner_name: string;
    owner_chain: readonly string[];
  }>(
    `SELECT DISTINCT ON (s.cluster, s.namespace, s.pod_name)
       s.cluster, s.namespace, s.pod_name, s.owner_kind, s.owner_name, s.owner_chain
     FROM signals s JOIN unnest($1::text[], $2::text[], $3::text[]) AS p (cluster, namespace, pod_name)
       ON s.cluster = p.cluster AND s.namespace = p.namespace AND s.pod_name = p.pod_name
     WHERE s.owner_kind IS NOT NULL AND s.owner_name IS NOT NULL
     ORDER BY s.cluster, s.namespace, s.pod_name, s.received_at, s.id`,
    [pods.map((pod) => pod.cluster.id), pods.map((pod) => pod.namespace), pods.map((pod) => pod.podName)],
  );
  return rows.map((row) => [
    podKey({ cluster: { id: row.cluster, local: false }, namespace: row.namespace, podName: row.pod_name }),
    { owner: { kind: row.owner_kind, name: row.owner_name }, chain: row.owner_chain, by: 'memory' },
  ]);
}
