import { type MaintenanceWindow, type TriageFacts, windowAt } from '@hephaisto/core/incident/triage';
import type { Sql } from '@hephaisto/core/ports/database';
import type { SignalKind } from '@hephaisto/core/signal/kind';
import type { UntriagedIncident } from './due-rows.ts';

interface FactsRow {
  readonly now: Date;
  readonly cluster_known: boolean;
  readonly duplicate: { readonly id: string; readonly number: number } | null;
  readonly caused_by_action: string | null;
  readonly opened_in_window: number;
}

/** Disturbances that a restart or a rollout brings with it. A crash is never excused by our having acted. */
const PASSING: readonly SignalKind[] = ['PodNotReady', 'ReplicaMismatch', 'RestartStorm', 'Unschedulable'];

export async function gatherTriage(
  tx: Sql,
  incident: UntriagedIncident,
  config: {
    readonly agentMode: string;
    readonly flapWindow: number;
    readonly selfCaused: number;
    readonly maintenance: readonly MaintenanceWindow[];
  },
): Promise<TriageFacts> {
  const rows = await tx.query<FactsRow>(
    `SELECT app_now() AS now,
       (SELECT c.id NOT LIKE 'unknown:%' FROM clusters c WHERE c.id = $1) AS cluster_known,
       (SELECT jsonb_build_object('id', o.id, 'number', o.number) FROM incidents o
        WHERE o.cluster = $1 AND o.correlation_key = $2 AND o.id <> $3 AND o.number < $4 AND NOT o.is_self
          AND o.state NOT IN ('Suppressed', 'Resolved', 'Expired') ORDER BY o.number LIMIT 1) AS duplicate,
       (SELECT a.type || ' ' || a.id::text FROM actions a
        WHERE a.cluster = $1 AND a.workload_namespace = $5 AND a.workload_kind = $6 AND a.workload_name = $7
          AND a.executed_at >= app_now() - $8::float8 * interval '1 millisecond' ORDER BY a.executed_at DESC LIMIT 1) AS caused_by_action,
       (SELECT count(*)::integer FROM incidents f
        WHERE f.fingerprint = $9 AND f.created_at >= app_now() - $10::float8 * interval '1 millisecond') AS opened_in_window`,
    [
      incident.cluster,
      incident.is_self || incident.is_meta ? null : incident.correlation_key,
      incident.id,
      incident.number,
      incident.namespace,
      incident.owner_kind,
      incident.owner_name,
      config.selfCaused,
      incident.fingerprint,
      config.flapWindow,
    ],
  );
  const row = rows[0];
  if (row === undefined) throw new Error('expected one row of facts, found none; this is a bug in hephaisto');
  return {
    isSelf: incident.is_self,
    meta: metaTopic(incident),
    severity: incident.severity,
    namespace: incident.namespace ?? undefined,
    clusterKnown: row.cluster_known,
    agentMode: config.agentMode,
    duplicateOf: row.duplicate ?? undefined,
    selfCausedBy: PASSING.includes(incident.kind) ? (row.caused_by_action ?? undefined) : undefined,
    maintenance: windowAt(config.maintenance, incident.namespace ?? undefined, row.now),
    openedInFlapWindow: row.opened_in_window,
  };
}

function metaTopic(incident: UntriagedIncident): 'storm' | 'flap' | undefined {
  if (!incident.is_meta) return undefined;
  return incident.correlation_key?.startsWith('["meta","storm"') === true ? 'storm' : 'flap';
}
