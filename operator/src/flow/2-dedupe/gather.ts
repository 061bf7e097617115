import type { Candidate, DedupeFacts } from '@hephaisto/core/dedupe/decide';
import type { Sql } from '@hephaisto/core/ports/database';
import { metaFingerprint, type Sha256Hex } from '@hephaisto/core/signal/fingerprint';
import type { SignalRow } from './pending-rows.ts';

interface FactsRow {
  readonly signal_id: string;
  readonly same: Candidate | null;
  readonly related: Candidate | null;
  readonly overlapping: Candidate | null;
  readonly node: Candidate | null;
  readonly burst: Candidate | null;
  readonly previous: Candidate | null;
  readonly flap_until: Date | null;
  readonly flap_meta: string | null;
  readonly opened: number;
  readonly storm: string | null;
}

interface Windows {
  readonly burst: number;
  readonly correlation: number;
  readonly recurrence: number;
  readonly stormWindow: number;
  readonly stormLimit: number;
  readonly stormCriticalReserve: number;
}

const OPEN = `state NOT IN ('Suppressed', 'Resolved', 'Expired')`;

/**
 * The first of those that fit. An aggregate, not a sort with a limit of one: that limit tempts the planner to walk all incidents by age in
 * the hope that one fits soon, and for most signals none does. By number, which grows with age, for the same reason.
 */
function candidate(where: string, order: string): string {
  return `(SELECT (array_agg(jsonb_build_object('id', id, 'number', number, 'state', state) ORDER BY ${order}))[1] FROM incidents i
           WHERE i.cluster = q.cluster AND ${where})`;
}

/** As a query of its own, which is answered once: `app_now()` is volatile, and in a condition it is called for each row and uses no index. */
const since = (parameter: string): string => `(SELECT app_now() - ${parameter}::float8 * interval '1 millisecond')`;

/** What fits is asked for one key at a time: with both in one condition, all that are over are read. */
function over(key: 'fingerprint' | 'correlation_key'): string {
  return `SELECT cluster, id, number, state, closed_at FROM incidents
          WHERE ${key} = q.${key} AND NOT is_meta AND NOT (${OPEN}) AND state <> 'Suppressed' AND closed_at >= ${since('$4')}`;
}

/**
 * Reads everything that the decisions about some signals need, in one statement, so that it is one picture. Each part finds its incidents
 * by an index. Fingerprints are asked for in the type of their columns: compared with `text`, no index serves, and every open incident is
 * read for every signal.
 */
const FACTS = `WITH q AS (
  SELECT * FROM jsonb_to_recordset($1::jsonb) AS r (id uuid, cluster text, fingerprint character(64), correlation_key text,
    namespace text, owner_chain text[], node_name text, storm_fingerprint character(64))
), c AS (
  SELECT of.cluster,
    (SELECT count(*)::integer FROM (SELECT 1 FROM incidents i WHERE i.cluster = of.cluster AND NOT is_meta
       AND created_at >= ${since('$5')} ORDER BY created_at DESC LIMIT $6) newest) AS opened,
    (SELECT i.id FROM incidents i WHERE i.cluster = of.cluster AND i.fingerprint = of.storm_fingerprint AND ${OPEN}) AS storm
  FROM (SELECT DISTINCT cluster, storm_fingerprint FROM q) of
)
SELECT q.id AS signal_id,
  ${candidate(`i.fingerprint = q.fingerprint AND ${OPEN}`, 'number')} AS same,
  ${candidate(`i.correlation_key = q.correlation_key AND NOT is_self AND NOT is_meta AND ${OPEN}`, 'number')} AS related,
  ${candidate(
    `i.namespace = q.namespace AND i.owner_chain && q.owner_chain AND NOT is_self AND NOT is_meta AND ${OPEN}
     AND last_signal_at >= ${since('$2')}`,
    'number',
  )} AS overlapping,
  ${candidate(`i.kind = 'NodePressure' AND i.node_name = q.node_name AND NOT is_self AND ${OPEN}`, 'number')} AS node,
  ${candidate(
    `i.fingerprint = q.fingerprint AND (state = 'Suppressed' OR resolution_source IN ('human', 'parent')) AND NOT (${OPEN})
     AND first_signal_at >= ${since('$3')}`,
    'number DESC',
  )} AS burst,
  (SELECT (array_agg(jsonb_build_object('id', id, 'number', number, 'state', state) ORDER BY closed_at DESC))[1]
   FROM (${over('fingerprint')} UNION ALL ${over('correlation_key')}) i WHERE i.cluster = q.cluster) AS previous,
  f.flap_until, f.flap_meta_incident_id AS flap_meta,
  c.opened, c.storm
FROM q JOIN c ON c.cluster = q.cluster
LEFT JOIN fingerprints f ON f.fingerprint = q.fingerprint AND f.flap_until > app_now()`;

/** Facts by the signal's id. */
export async function gatherFacts(
  tx: Sql,
  signals: readonly SignalRow[],
  windows: Windows,
  sha256: Sha256Hex,
): Promise<ReadonlyMap<string, DedupeFacts>> {
  const asked = signals.map((signal) => ({
    id: signal.id,
    cluster: signal.cluster,
    fingerprint: signal.fingerprint,
    correlation_key: signal.correlation_key,
    namespace: signal.namespace,
    owner_chain: signal.owner_chain,
    node_name: signal.node_name,
    storm_fingerprint: metaFingerprint('storm', signal.cluster, sha256),
  }));
  const rows = await tx.query<FactsRow>(FACTS, [
    JSON.stringify(asked),
    windows.correlation,
    windows.burst,
    windows.recurrence,
    windows.stormWindow,
    windows.stormLimit + windows.stormCriticalReserve,
  ]);
  const byId = new Map(rows.map((row) => [row.signal_id, row]));
  return new Map(
    signals.map((signal) => {
      const row = byId.get(signal.id);
      if (row === undefined) throw new Error('expected facts for each signal, found none; this is a bug in hephaisto');
      return [signal.id, factsOf(signal, row)];
    }),
  );
}

function factsOf(signal: SignalRow, row: FactsRow): DedupeFacts {
  return {
    signal: {
      kind: signal.kind,
      severity: signal.severity,
      status: signal.status,
      isSelf: signal.is_self,
      about: describeSignal(signal),
      nodeName: signal.node_name ?? undefined,
    },
    same: row.same ?? undefined,
    related: row.related ?? undefined,
    overlapping: row.overlapping ?? undefined,
    node: row.node ?? undefined,
    burst: row.burst ?? undefined,
    previous: row.previous ?? undefined,
    flapping:
      row.flap_until === null ? undefined : { until: row.flap_until, metaIncidentId: row.flap_meta ?? undefined },
    storm: { openedInWindow: row.opened, incidentId: row.storm ?? undefined },
  };
}

/** e.g. `CrashLoopBackOff of Deployment checkout in shop`. */
export function describeSignal(signal: SignalRow): string {
  const what = signal.kind === 'Unknown' ? signal.reason : signal.kind;
  const whose = signal.owner_kind === null ? '' : ` of ${signal.owner_kind} ${signal.owner_name ?? ''}`;
  const where = signal.namespace === null ? '' : ` in ${signal.namespace}`;
  return `${what}${whose}${where}`;
}
