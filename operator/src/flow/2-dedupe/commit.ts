import type { DedupeDecision } from '@hephaisto/core/dedupe/decide';
import type { Ids } from '@hephaisto/core/ports/clock';
import type { Sql } from '@hephaisto/core/ports/database';
import type { IncidentLog } from '@hephaisto/core/ports/incident-log';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import { metaFingerprint, type Sha256Hex } from '@hephaisto/core/signal/fingerprint';
import type { Disposition } from '@hephaisto/core/signal/observation';
import { touchIncidents } from '../signal-log/touch-incidents.ts';
import { absorbPodIncidents } from './absorb.ts';
import { describeSignal } from './gather.ts';
import type { SignalRow } from './pending-rows.ts';

interface CommitDeps {
  readonly ids: Ids;
  readonly incidents: IncidentLog;
  readonly sha256: Sha256Hex;
}

const AUTHOR = { actor: SERVICE_PRINCIPALS.ingest, origin: 'core' } as const;

/** Writes what was decided about a signal, with the incident it opens, in the caller's transaction. */
export async function commitDecision(
  tx: Sql,
  deps: CommitDeps,
  signal: SignalRow,
  decision: DedupeDecision,
  windows: { readonly correlation: number },
): Promise<void> {
  const why = `${decision.reason}: ${decision.message}`;
  if (decision.kind === 'settle') {
    await settle(tx, signal, decision.disposition, decision.incidentId, why);
    if (decision.incidentId !== undefined) await carryOver(tx, signal, decision.incidentId);
    return;
  }
  if (decision.kind === 'storm') {
    const storm = decision.incidentId ?? (await openStorm(tx, deps, signal, decision));
    await settle(tx, signal, 'storm', storm, why);
    await touchIncidents(tx, [storm]);
    return;
  }
  const opened = await openFor(tx, deps, signal, decision);
  await settle(tx, signal, 'opened', opened, why);
  if (signal.kind === 'NodePressure' && signal.node_name !== null) {
    await absorbPodIncidents(
      tx,
      deps.incidents,
      { ...signal, node_name: signal.node_name },
      opened,
      windows.correlation,
    );
  }
}

async function settle(
  tx: Sql,
  signal: SignalRow,
  disposition: Disposition,
  incidentId: string | undefined,
  why: string,
): Promise<void> {
  await tx.execute('UPDATE signals SET disposition = $2, disposition_reason = $3, incident_id = $4 WHERE id = $1', [
    signal.id,
    disposition,
    why,
    incidentId ?? null,
  ]);
}

/** An incident is as severe as the most severe of its signals. */
async function carryOver(tx: Sql, signal: SignalRow, incidentId: string): Promise<void> {
  await touchIncidents(tx, [incidentId]);
  await tx.execute(
    `UPDATE incidents SET severity = $2 WHERE id = $1 AND array_position(ARRAY['info', 'warning', 'critical'], $2::text)
       > array_position(ARRAY['info', 'warning', 'critical'], severity) AND state NOT IN ('Suppressed', 'Resolved', 'Expired')`,
    [incidentId, signal.severity],
  );
}

async function openFor(
  tx: Sql,
  deps: CommitDeps,
  signal: SignalRow,
  decision: Extract<DedupeDecision, { kind: 'open' }>,
): Promise<string> {
  const id = deps.ids.uuid();
  await deps.incidents.open(tx, {
    ...AUTHOR,
    id,
    cluster: signal.cluster,
    fingerprint: signal.fingerprint,
    correlationKey: signal.correlation_key ?? undefined,
    kind: signal.kind,
    title: describeSignal(signal),
    severity: signal.severity,
    namespace: signal.namespace ?? undefined,
    owner: ownerOf(signal),
    ownerChain: signal.owner_chain,
    nodeName: signal.node_name ?? undefined,
    isSelf: signal.is_self,
    isMeta: false,
    recurrenceOf: decision.recurrenceOf,
    firstSignalAt: signal.received_at,
    lastSignalAt: signal.last_seen_at,
    reason: decision.reason,
  });
  return id;
}

function ownerOf(signal: SignalRow): { kind: string; name: string } | undefined {
  if (signal.owner_kind === null || signal.owner_name === null) return undefined;
  return { kind: signal.owner_kind, name: signal.owner_name };
}

async function openStorm(
  tx: Sql,
  deps: CommitDeps,
  signal: SignalRow,
  decision: Extract<DedupeDecision, { kind: 'storm' }>,
): Promise<string> {
  const id = deps.ids.uuid();
  await deps.incidents.open(tx, {
    ...AUTHOR,
    id,
    cluster: signal.cluster,
    fingerprint: metaFingerprint('storm', signal.cluster, deps.sha256),
    correlationKey: JSON.stringify(['meta', 'storm', signal.cluster]),
    kind: 'Unknown',
    title: 'Storm: more faults at once than are looked into one by one',
    severity: 'critical',
    namespace: undefined,
    owner: undefined,
    ownerChain: [],
    nodeName: undefined,
    isSelf: false,
    isMeta: true,
    recurrenceOf: undefined,
    firstSignalAt: signal.received_at,
    lastSignalAt: signal.last_seen_at,
    reason: decision.reason,
  });
  return id;
}
