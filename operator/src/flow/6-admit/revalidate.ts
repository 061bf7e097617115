import { canonicalJson } from '@hephaisto/core/canonical-json';
import type { ObjectRef } from '@hephaisto/core/facts/facts';
import type { Sql } from '@hephaisto/core/ports/database';
import { isClusterUnhealthy } from '@hephaisto/policy/checks/cluster-health-floor';
import { readClusterHealth } from '../../act/cluster-health.ts';
import { IS_WORKABLE } from '../../act/dead-letter.ts';
import type { ActingDeps } from '../../act/deps.ts';
import { sha256 } from '../../act/digest.ts';
import { isolated } from '../../act/isolated.ts';
import { isInForce } from '../../act/policy-in-force.ts';
import { recheckProposal } from '../../act/recheck.ts';
import { createMarkReader, type MarkReader } from '../../act/target-mark.ts';
import { underLease } from '../../act/under-lease.ts';

/** Targets that are read at the same time: a pass over 200 proposals stays short, and the API server is not flooded. */
const CONCURRENCY = 8;

interface OpenRow {
  readonly id: string;
  readonly action_id: string;
  readonly cluster: string;
  readonly revalidated_sha256: string | null;
  readonly target_kind: string;
  readonly target_namespace: string;
  readonly target_name: string;
  readonly workload_kind: string;
  readonly workload_namespace: string;
  readonly workload_name: string;
  /** Facts of our own rows that a lasting gate reads. */
  readonly record: Readonly<Record<string, unknown>>;
}

const OPEN = `
  SELECT p.id, p.action_id, a.cluster, p.revalidated_sha256, a.target_kind, a.target_namespace, a.target_name, a.workload_kind,
    a.workload_namespace, a.workload_name, jsonb_build_object('local', c.is_local, 'causedBy', i.caused_by,
      'quarantined', coalesce(w.quarantined_until > app_now(), false)) AS record
  FROM proposals p JOIN actions a ON a.id = p.action_id JOIN incidents i ON i.id = a.incident_id LEFT JOIN clusters c ON c.id = a.cluster
  LEFT JOIN workloads w ON (w.cluster, w.namespace, w.kind, w.name) = (a.cluster, a.workload_namespace, a.workload_kind, a.workload_name)
  WHERE p.state = 'Open' AND ${IS_WORKABLE} ORDER BY p.created_at, p.id`;

/**
 * Compares each open proposal with the world it was made for. One replica does so at a time. A proposal is evaluated again only when its target, the
 * policy, the switches or the health of the cluster moved since the last comparison; otherwise its cost is one GET.
 */
export async function revalidateOpen(deps: ActingDeps, signal: AbortSignal): Promise<number> {
  const moved = await underLease(deps, 'sweeper', 'open-proposals', () => revalidateAll(deps, signal));
  return moved ?? 0;
}

async function revalidateAll(deps: ActingDeps, signal: AbortSignal): Promise<number> {
  const open = [...(await deps.db.query<OpenRow>(OPEN))];
  if (open.length === 0) return 0;
  const pass: Pass = {
    marks: createMarkReader(deps.reader),
    inForce: await isInForce(deps.db, deps.policy.current().hash),
    surroundings: await surroundingsOf(deps, deps.db, open),
    unanswered: false,
  };
  let moved = 0;
  async function lane(): Promise<void> {
    for (let row = open.shift(); row !== undefined; row = open.shift()) {
      const next = row;
      // A server that does not answer for one target is not asked for two hundred: the next pass asks it again.
      if (signal.aborted || pass.unanswered) return;
      if (await isolated(deps, 'admit', next.action_id, () => revalidate(deps, pass, next))) moved += 1;
    }
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, open.length) }, lane));
  return moved;
}

interface Pass {
  readonly marks: MarkReader;
  readonly inForce: boolean;
  readonly surroundings: ReadonlyMap<string, string>;
  unanswered: boolean;
}

async function revalidate(deps: ActingDeps, pass: Pass, row: OpenRow): Promise<boolean> {
  const mark = await pass.marks.read(targetOf(row), workloadOf(row));
  if (mark.kind === 'unanswered') {
    pass.unanswered = true;
    return false;
  }
  const { content } = mark;
  const compared = sha256(canonicalJson({ ...content, record: row.record, in: pass.surroundings.get(row.cluster) }));
  if (compared === row.revalidated_sha256) return false;
  const seen = await recheckProposal(deps, row.id);
  // A replica whose policy is not the one in force leaves the comparison to one that has it.
  if (seen.kind === 'stands' && pass.inForce) await noteCompared(deps, row.id, compared);
  if (seen.kind !== 'superseded' && seen.kind !== 'void') return false;
  deps.metrics.count('proposals_total', { outcome: seen.kind });
  return true;
}

async function noteCompared(deps: ActingDeps, proposalId: string, compared: string): Promise<void> {
  await deps.db.execute(`UPDATE proposals SET revalidated_sha256 = $2 WHERE id = $1 AND state = 'Open'`, [
    proposalId,
    compared,
  ]);
  await deps.faults.hit('admit:revalidated');
}

/** Policy, switches and health as text, for each cluster: equal texts mean that none of them moved. */
async function surroundingsOf(
  deps: ActingDeps,
  sql: Sql,
  rows: readonly OpenRow[],
): Promise<ReadonlyMap<string, string>> {
  const { hash, policy } = deps.policy.current();
  const switches = await deps.switches.fingerprint(sql);
  const clusters = [...new Set(rows.map(({ cluster }) => cluster))];
  const entries = clusters.map(async (cluster): Promise<[string, string]> => {
    const health = await readClusterHealth(sql, cluster);
    // Counts move all the time; a gate only asks on which side of its limits they are.
    const side = health.known ? isClusterUnhealthy(health.value, policy.clusterHealth) : 'unknown';
    return [cluster, canonicalJson({ policy: hash, switches, unhealthy: side })];
  });
  return new Map(await Promise.all(entries));
}

function targetOf(row: OpenRow): ObjectRef {
  return { kind: row.target_kind, namespace: row.target_namespace, name: row.target_name };
}

function workloadOf(row: OpenRow): ObjectRef {
  return { kind: row.workload_kind, namespace: row.workload_namespace, name: row.workload_name };
}
