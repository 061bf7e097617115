import { assertNever } from '@hephaisto/core/assert-never';
import type { DedupeDecision } from '@hephaisto/core/dedupe/decide';
import type { Ids } from '@hephaisto/core/ports/clock';
import type { Sql } from '@hephaisto/core/ports/database';
import type { IncidentLog } from '@hephaisto/core/ports/incident-log';
import type { Tracer } from '@hephaisto/core/ports/telemetry';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import { cleanJsonText } from '@hephaisto/core/signal/clean-text';
import { metaFingerprint, type Sha256Hex } from '@hephaisto/core/signal/fingerprint';
import type { Disposition } from '@hephaisto/core/signal/observation';
import { touchIncidents } from '../signal-log/touch-incidents.ts';
import { describeSignal } from './gather.ts';
import type { SignalRow } from './pending-rows.ts';

interface CommitDeps {
  readonly ids: Ids;
  readonly incidents: IncidentLog;
  readonly sha256: Sha256Hex;
  readonly tracer: Tracer;
}

const AUTHOR = { actor: SERVICE_PRINCIPALS.ingest, origin: 'core' } as const;

/** A signal with what becomes of it. */
export interface Settled {
  readonly signal: SignalRow;
  readonly disposition: Exclude<Disposition, 'pending'>;
  readonly incidentId: string | undefined;
  readonly why: string;
}

/** Opens what the decision opens, in the caller's transaction. */
export async function carryOut(
  tx: Sql,
  deps: CommitDeps,
  signal: SignalRow,
  decision: DedupeDecision,
): Promise<Settled> {
  const why = `${decision.reason}: ${decision.message}`;
  switch (decision.kind) {
    case 'settle':
      return { signal, disposition: decision.disposition, incidentId: decision.incidentId, why };
    case 'storm': {
      const incidentId = decision.incidentId ?? (await openStorm(tx, deps, signal, decision));
      return { signal, disposition: 'storm', incidentId, why };
    }
    case 'open':
      return { signal, disposition: 'opened', incidentId: await openFor(tx, deps, signal, decision), why };
    default:
      return assertNever(decision);
  }
}

/** Writes what became of the signals, and tells the incidents that took them. */
export async function writeSettled(tx: Sql, settled: readonly Settled[]): Promise<void> {
  if (settled.length === 0) return;
  await tx.execute(
    `UPDATE signals s SET disposition = r.disposition, disposition_reason = r.why, incident_id = r.incident_id
     FROM jsonb_to_recordset($1::jsonb) AS r (id uuid, disposition text, why text, incident_id uuid) WHERE s.id = r.id`,
    [
      cleanJsonText(
        settled.map(({ signal, disposition, why, incidentId }) => ({
          id: signal.id,
          disposition,
          why,
          incident_id: incidentId ?? null,
        })),
      ),
    ],
  );
  const taken = settled.filter((each) => each.incidentId !== undefined && each.disposition !== 'opened');
  await touchIncidents(tx, [...new Set(taken.map((each) => each.incidentId ?? ''))]);
  await raiseSeverity(tx, taken);
}

/** An incident is as severe as the most severe of its signals. */
async function raiseSeverity(tx: Sql, taken: readonly Settled[]): Promise<void> {
  for (const [severity, below] of [
    ['critical', ['warning', 'info']],
    ['warning', ['info']],
  ] as const) {
    const ids = taken.filter(({ signal }) => signal.severity === severity).map(({ incidentId }) => incidentId);
    if (ids.length === 0) continue;
    await tx.execute(
      `UPDATE incidents SET severity = $2 WHERE id = ANY($1::uuid[]) AND severity = ANY($3::text[])
         AND state NOT IN ('Suppressed', 'Resolved', 'Expired')`,
      [[...new Set(ids)], severity, below],
    );
  }
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
    // A condition that was watched came in no delivery: its trace begins here.
    traceparent: signal.traceparent ?? deps.tracer.current(),
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
