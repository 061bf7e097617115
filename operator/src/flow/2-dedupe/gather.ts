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
}

const OPEN = `state NOT IN ('Suppressed', 'Resolved', 'Expired')`;

function candidate(where: string, order: string): string {
  return `(SELECT jsonb_build_object('id', id, 'number', number, 'state', state) FROM incidents i
           WHERE i.cluster = q.cluster AND ${where} ORDER BY ${order} LIMIT 1)`;
}

const since = (parameter: string): string => `app_now() - ${parameter}::float8 * interval '1 millisecond'`;

/** Reads everything that the decisions about some signals need, in one statement, so that it is one picture. */
const FACTS = `SELECT q.id AS signal_id,
  ${candidate(`i.fingerprint = q.fingerprint AND ${OPEN}`, 'created_at')} AS same,
  ${candidate(`i.correlation_key = q.correlation_key AND NOT is_self AND NOT is_meta AND ${OPEN}`, 'created_at')} AS related,
  ${candidate(
    `i.namespace = q.namespace AND i.owner_chain && q.owner_chain AND NOT is_self AND NOT is_meta AND ${OPEN}
     AND last_signal_at >= ${since('$2')}`,
    'created_at',
  )} AS overlapping,
  ${candidate(`i.kind = 'NodePressure' AND i.node_name = q.node_name AND NOT is_self AND ${OPEN}`, 'created_at')} AS node,
  ${candidate(
    `i.fingerprint = q.fingerprint AND (state = 'Suppressed' OR resolution_source IN ('human', 'parent')) AND NOT (${OPEN})
     AND first_signal_at >= ${since('$3')}`,
    'created_at DESC',
  )} AS burst,
  ${candidate(
    `(i.fingerprint = q.fingerprint OR i.correlation_key = q.correlation_key) AND NOT is_meta AND NOT (${OPEN})
     AND state <> 'Suppressed' AND closed_at >= ${since('$4')}`,
    'closed_at DESC',
  )} AS previous,
  f.flap_until, f.flap_meta_incident_id AS flap_meta,
  coalesce(o.opened, 0) AS opened,
  (SELECT i.id FROM incidents i WHERE i.cluster = q.cluster AND i.fingerprint = q.storm_fingerprint AND ${OPEN}) AS storm
FROM jsonb_to_recordset($1::jsonb) AS q (id uuid, cluster text, fingerprint text, correlation_key text, namespace text,
  owner_chain text[], node_name text, storm_fingerprint text)
LEFT JOIN (SELECT cluster, count(*)::integer AS opened FROM incidents
  WHERE NOT is_meta AND created_at >= ${since('$5')} GROUP BY cluster) o ON o.cluster = q.cluster
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
