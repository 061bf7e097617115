import type { Candidate, DedupeFacts } from '@hephaisto/core/dedupe/decide';
import type { Sql } from '@hephaisto/core/ports/database';
import { metaFingerprint, type Sha256Hex } from '@hephaisto/core/signal/fingerprint';
import type { SignalRow } from './pending-rows.ts';

interface FactsRow {
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
  return `(SELECT jsonb_build_object('id', id, 'number', number, 'state', state) FROM incidents
           WHERE cluster = $1 AND ${where} ORDER BY ${order} LIMIT 1)`;
}

const WINDOW = (parameter: string): string => `app_now() - ${parameter}::float8 * interval '1 millisecond'`;

/** Reads everything that the decision about a signal needs, in one statement, so that it is one picture. */
const FACTS = `SELECT
  ${candidate(`fingerprint = $2 AND ${OPEN}`, 'created_at')} AS same,
  ${candidate(`correlation_key = $3 AND NOT is_self AND NOT is_meta AND ${OPEN}`, 'created_at')} AS related,
  ${candidate(
    `namespace = $4 AND owner_chain && $5::text[] AND NOT is_self AND NOT is_meta AND ${OPEN} AND last_signal_at >= ${WINDOW('$7')}`,
    'created_at',
  )} AS overlapping,
  ${candidate(`kind = 'NodePressure' AND node_name = $6 AND NOT is_self AND ${OPEN}`, 'created_at')} AS node,
  ${candidate(
    `fingerprint = $2 AND (state = 'Suppressed' OR resolution_source IN ('human', 'parent')) AND NOT (${OPEN})
     AND first_signal_at >= ${WINDOW('$8')}`,
    'created_at DESC',
  )} AS burst,
  ${candidate(
    `(fingerprint = $2 OR correlation_key = $3) AND NOT is_meta AND NOT (${OPEN}) AND state <> 'Suppressed'
     AND closed_at >= ${WINDOW('$9')}`,
    'closed_at DESC',
  )} AS previous,
  (SELECT flap_until FROM fingerprints WHERE fingerprint = $2 AND flap_until > app_now()) AS flap_until,
  (SELECT flap_meta_incident_id FROM fingerprints WHERE fingerprint = $2 AND flap_until > app_now()) AS flap_meta,
  (SELECT count(*)::integer FROM incidents WHERE cluster = $1 AND NOT is_meta AND created_at >= ${WINDOW('$10')}) AS opened,
  (SELECT id FROM incidents WHERE cluster = $1 AND fingerprint = $11 AND ${OPEN}) AS storm`;

export async function gatherFacts(
  tx: Sql,
  signal: SignalRow,
  windows: Windows,
  sha256: Sha256Hex,
): Promise<DedupeFacts> {
  const rows = await tx.query<FactsRow>(FACTS, [
    signal.cluster,
    signal.fingerprint,
    signal.correlation_key,
    signal.namespace,
    signal.owner_chain,
    signal.node_name,
    windows.correlation,
    windows.burst,
    windows.recurrence,
    windows.stormWindow,
    metaFingerprint('storm', signal.cluster, sha256),
  ]);
  const row = rows[0];
  if (row === undefined) throw new Error('expected one row of facts, found none; this is a bug in hephaisto');
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
