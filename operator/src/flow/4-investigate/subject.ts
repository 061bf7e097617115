import { redactText } from '@hephaisto/core/evidence/redact';
import type { InvestigationSubject } from '@hephaisto/core/investigation/investigator';
import type { Sql } from '@hephaisto/core/ports/database';
import type { SignalKind } from '@hephaisto/core/signal/kind';

interface IncidentRow {
  readonly id: string;
  readonly cluster: string;
  readonly kind: SignalKind;
  readonly title: string;
  readonly namespace: string | null;
  readonly owner_kind: string | null;
  readonly owner_name: string | null;
  readonly owner_chain: readonly string[];
  readonly node_name: string | null;
  readonly first_signal_at: Date;
}

interface SignalRow {
  readonly kind: SignalKind;
  readonly reason: string;
  readonly message: string | null;
  readonly pod_name: string | null;
  readonly source: string;
  readonly owner_chain: readonly string[];
}

const MOST_SIGNALS = 20;

/** What an investigator is told: the incident and its latest signals. Undefined when there is no such incident. */
export async function readSubject(sql: Sql, incidentId: string, now: Date): Promise<InvestigationSubject | undefined> {
  const [incident] = await sql.query<IncidentRow>(
    `SELECT id, cluster, kind, title, namespace, owner_kind, owner_name, owner_chain, node_name, first_signal_at
       FROM incidents WHERE id = $1`,
    [incidentId],
  );
  if (incident === undefined) return undefined;
  const signals = await sql.query<SignalRow>(
    `SELECT kind, reason, payload->>'message' AS message, pod_name, source, owner_chain FROM signals
      WHERE incident_id = $1 ORDER BY status <> 'resolved' DESC, last_seen_at DESC LIMIT ${MOST_SIGNALS}`,
    [incidentId],
  );
  const { owner_kind: kind, owner_name: name } = incident;
  return {
    incidentId,
    cluster: incident.cluster,
    kind: incident.kind,
    title: incident.title,
    ...(incident.namespace === null ? {} : { namespace: incident.namespace }),
    ...(kind === null || name === null ? {} : { owner: { kind, name } }),
    ownerChain: incident.owner_chain.length > 0 ? incident.owner_chain : (signals[0]?.owner_chain ?? []),
    ...(incident.node_name === null ? {} : { nodeName: incident.node_name }),
    firstSignalAt: incident.first_signal_at,
    signals: signals.map((signal) => ({
      kind: signal.kind,
      reason: signal.reason,
      message: redactText(signal.message ?? ''),
      ...(signal.pod_name === null ? {} : { podName: signal.pod_name }),
      source: signal.source,
    })),
    now,
  };
}
