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
import { retryPauseMs } from '../../act/refused-call.ts';
import { createMarkReader, type MarkReader } from '../../act/target-mark.ts';
import { underLease } from '../../act/under-lease.ts';

/** Targets that are read at the same time: a pass over 200 proposals stays short, and the API server is not flooded. */
const CONCURRENCY = 8;

/** So many targets without an answer, and none with one between them, are a server that is away: the pass ends and the next one asks again. */
const SILENT_SERVER = CONCURRENCY;

/** Pauses before a proposal whose comparison could not be finished twice is compared again, in rhythms of the comparison. */
const FIRST_PAUSE = 2;
const LONGEST_PAUSE = 60;

interface OpenRow {
  readonly id: string;
  readonly action_id: string;
  readonly cluster: string;
  readonly type: string;
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
  SELECT p.id, p.action_id, a.cluster, a.type, p.revalidated_sha256, a.target_kind, a.target_namespace, a.target_name, a.workload_kind,
    a.workload_namespace, a.workload_name, jsonb_build_object('local', c.is_local, 'causedBy', i.caused_by,
      'quarantined', coalesce(w.quarantined_until > app_now(), false)) AS record
  FROM proposals p JOIN actions a ON a.id = p.action_id JOIN incidents i ON i.id = a.incident_id LEFT JOIN clusters c ON c.id = a.cluster
  LEFT JOIN workloads w ON (w.cluster, w.namespace, w.kind, w.name) = (a.cluster, a.workload_namespace, a.workload_kind, a.workload_name)
  WHERE p.state = 'Open' AND ${IS_WORKABLE} ORDER BY p.created_at, p.id`;

/**
 * Proposals whose comparison could not be finished, by id: their targets did not answer, or kept moving while they were tried. Such a one delays
 * no other, and is neither read nor tried at every pass for nothing.
 */
export type Unfinished = Map<string, { readonly times: number; readonly notBeforeMs: number }>;

/**
 * Compares each open proposal with the world it was made for. One replica does so at a time. A proposal is evaluated again only when its target, the
 * policy, the switches or the health of the cluster moved since the last comparison; otherwise its cost is
 * one GET, and a few more where a delivery tool owns the target.
 */
export async function revalidateOpen(deps: ActingDeps, unfinished: Unfinished, signal: AbortSignal): Promise<number> {
  const moved = await underLease(deps, 'sweeper', 'open-proposals', () => revalidateAll(deps, unfinished, signal));
  return moved ?? 0;
}

async function revalidateAll(deps: ActingDeps, unfinished: Unfinished, signal: AbortSignal): Promise<number> {
  const rows = await deps.db.query<OpenRow>(OPEN);
  const open = inTurn(rows, unfinished, deps.clock.monotonicMs());
  if (open.length === 0) return 0;
  const pass: Pass = {
    marks: createMarkReader(deps.reader),
    inForce: await isInForce(deps.db, deps.policy.current().hash),
    surroundings: await surroundingsOf(deps, deps.db, open),
    compared: [],
    moving: [],
    unanswered: [],
    silencesInARow: 0,
  };
  let moved = 0;
  async function lane(): Promise<void> {
    for (let row = open.shift(); row !== undefined; row = open.shift()) {
      const next = row;
      if (signal.aborted || pass.silencesInARow >= SILENT_SERVER) return;
      if (await isolated(deps, 'admit', next.action_id, () => revalidate(deps, pass, next))) moved += 1;
    }
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, open.length) }, lane));
  noteUnfinished(pass, unfinished, deps.clock.monotonicMs(), deps.settings.recheckMs);
  return moved;
}

/** Rows to compare now. Those that could not be finished come last, so that many of them do not end a pass before the others are reached. */
function inTurn(rows: readonly OpenRow[], unfinished: Unfinished, nowMs: number): OpenRow[] {
  const ids = new Set(rows.map(({ id }) => id));
  for (const id of unfinished.keys()) if (!ids.has(id)) unfinished.delete(id);
  const times = ({ id }: OpenRow) => unfinished.get(id)?.times ?? 0;
  return rows
    .filter(({ id }) => (unfinished.get(id)?.notBeforeMs ?? nowMs) <= nowMs)
    .toSorted((a, b) => times(a) - times(b));
}

function noteUnfinished(pass: Pass, unfinished: Unfinished, nowMs: number, rhythmMs: number): void {
  const pauses = { first: FIRST_PAUSE * rhythmMs, longest: LONGEST_PAUSE * rhythmMs };
  for (const id of pass.compared) unfinished.delete(id);
  // While nothing answers, the server is at fault, and no proposal waits for it.
  const isServerAway = pass.compared.length === 0 && pass.moving.length === 0;
  for (const id of [...pass.moving, ...pass.unanswered]) {
    const times = (unfinished.get(id)?.times ?? 0) + 1;
    const pauseMs = isServerAway || times === 1 ? 0 : retryPauseMs(times - 2, pauses);
    unfinished.set(id, { times, notBeforeMs: nowMs + pauseMs });
  }
}

interface Pass {
  readonly marks: MarkReader;
  readonly inForce: boolean;
  readonly surroundings: ReadonlyMap<string, string>;
  readonly compared: string[];
  /** Compared, and changed while a new revision was tried, or not to be read whole. */
  readonly moving: string[];
  readonly unanswered: string[];
  silencesInARow: number;
}

async function revalidate(deps: ActingDeps, pass: Pass, row: OpenRow): Promise<boolean> {
  const mark = await pass.marks.read(row.type, targetOf(row), workloadOf(row));
  if (mark.kind === 'unanswered') {
    pass.silencesInARow += 1;
    pass.unanswered.push(row.id);
    return false;
  }
  pass.silencesInARow = 0;
  const { content } = mark;
  const compared = sha256(canonicalJson({ ...content, record: row.record, in: pass.surroundings.get(row.cluster) }));
  if (compared === row.revalidated_sha256) {
    pass.compared.push(row.id);
    return false;
  }
  const seen = await recheckProposal(deps, row.id);
  (seen.kind === 'moving' || seen.kind === 'unread' ? pass.moving : pass.compared).push(row.id);
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
