import { assertNever } from '@hephaisto/core/assert-never';
import type { TriageVerdict } from '@hephaisto/core/incident/triage';
import type { Ids } from '@hephaisto/core/ports/clock';
import type { Sql } from '@hephaisto/core/ports/database';
import type { IncidentLog, Moved, Refused, Transition } from '@hephaisto/core/ports/incident-log';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import { metaFingerprint, type Sha256Hex } from '@hephaisto/core/signal/fingerprint';
import type { UntriagedIncident } from './due-rows.ts';

interface CommitDeps {
  readonly ids: Ids;
  readonly incidents: IncidentLog;
  readonly sha256: Sha256Hex;
}

const AUTHOR = { actor: SERVICE_PRINCIPALS.triage, origin: 'core' } as const;

/** Takes the edges of the verdict in the caller's transaction. */
export async function commitVerdict(
  tx: Sql,
  deps: CommitDeps,
  incident: UntriagedIncident,
  verdict: TriageVerdict,
  config: { readonly flapCooldown: number },
): Promise<void> {
  const step = async (edge: Pick<Transition, 'edge' | 'reason'> & Partial<Transition>): Promise<void> => {
    must(await deps.incidents.transition(tx, { ...AUTHOR, incidentId: incident.id, ...edge }));
  };
  if (incident.state === 'Detected') await step({ edge: 'I2', reason: 'triage-begins' });
  const data = { message: verdict.message };
  switch (verdict.kind) {
    case 'suppress':
      await step({
        edge: 'I3',
        reason: verdict.reason,
        suppressedReason: verdict.suppressedReason,
        data,
        ...(verdict.absorbedBy === undefined ? {} : { absorbedBy: verdict.absorbedBy }),
      });
      if (verdict.suppressedReason === 'Flapping') await startCooldown(tx, deps, incident, config.flapCooldown);
      if (verdict.absorbedBy !== undefined) await handSignalsOver(tx, incident.id, verdict.absorbedBy);
      return;
    case 'escalate':
      if (verdict.reason === 'unknown-cluster') {
        // Triage may not say ObserveOnly; an investigation that cannot read anything may, and this one is over before it begins.
        await step({ edge: 'I5', reason: verdict.reason, data });
        await step({ edge: 'I6', reason: verdict.reason, escalationReason: verdict.escalationReason, data });
        return;
      }
      await step({ edge: 'I4', reason: verdict.reason, escalationReason: verdict.escalationReason, data });
      return;
    case 'investigate':
      await step({ edge: 'I5', reason: verdict.reason, data });
      return;
    default:
      assertNever(verdict);
  }
}

function must(result: Moved | Refused): void {
  if (result.kind === 'refused') throw new Error(`${result.message}; this is a bug in hephaisto`);
}

/** The signals go on in the incident that is left, or nobody would notice that they are still firing. */
async function handSignalsOver(tx: Sql, from: string, to: string): Promise<void> {
  await tx.execute('UPDATE signals SET incident_id = $2 WHERE incident_id = $1', [from, to]);
}

/** From now on the fault opens nothing for a while, and exactly one incident says so. */
async function startCooldown(
  tx: Sql,
  deps: CommitDeps,
  incident: UntriagedIncident,
  cooldownMs: number,
): Promise<void> {
  const fingerprint = metaFingerprint('flap', incident.fingerprint, deps.sha256);
  const [open] = await tx.query<{ id: string }>(
    `SELECT id FROM incidents WHERE cluster = $1 AND fingerprint = $2 AND state NOT IN ('Suppressed', 'Resolved', 'Expired')`,
    [incident.cluster, fingerprint],
  );
  const metaId = open?.id ?? (await openFlapIncident(tx, deps, incident, fingerprint));
  await tx.execute(
    `INSERT INTO fingerprints (fingerprint, cluster, flap_until, flap_meta_incident_id, last_signal_at)
     VALUES ($1, $2, app_now() + $3::float8 * interval '1 millisecond', $4, app_now())
     ON CONFLICT (fingerprint) DO UPDATE SET flap_until = excluded.flap_until, last_signal_at = excluded.last_signal_at,
       flap_meta_incident_id = excluded.flap_meta_incident_id`,
    [incident.fingerprint, incident.cluster, cooldownMs, metaId],
  );
}

async function openFlapIncident(
  tx: Sql,
  deps: CommitDeps,
  incident: UntriagedIncident,
  fingerprint: string,
): Promise<string> {
  const id = deps.ids.uuid();
  await deps.incidents.open(tx, {
    ...AUTHOR,
    id,
    cluster: incident.cluster,
    fingerprint,
    correlationKey: JSON.stringify(['meta', 'flap', incident.fingerprint]),
    kind: incident.kind,
    title: `Flapping: ${incident.title}`,
    severity: incident.severity,
    namespace: incident.namespace ?? undefined,
    owner: undefined,
    ownerChain: [],
    nodeName: undefined,
    isSelf: false,
    isMeta: true,
    recurrenceOf: undefined,
    firstSignalAt: incident.created_at,
    lastSignalAt: incident.last_signal_at,
    reason: 'flapping',
  });
  return id;
}
